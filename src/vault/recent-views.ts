import type { NoteView } from '../notes/note-view.ts';

/** Characters of all texts together: what a caller pages through, and the notes of one piece of work. */
const CHARACTERS_KEPT = 1_000_000;

/**
 * The notes opened last, parsed: a caller looks at an outline, reads a section, reads on from an offset. The
 * file itself is read each time; what is known here is known by its text.
 */
export class RecentViews {
  /** By etag, least recently used first. */
  readonly #views = new Map<string, NoteView>();
  #characters = 0;

  get(etag: string, text: string): NoteView | undefined {
    const view = this.#views.get(etag);
    // An etag tells versions apart, not texts that somebody made to have the same one.
    if (view?.text !== text) return undefined;
    this.#views.delete(etag);
    this.#views.set(etag, view);
    return view;
  }

  /** The newest is kept whatever its size. */
  keep(etag: string, view: NoteView): void {
    this.#forget(etag);
    this.#views.set(etag, view);
    this.#characters += view.text.length;
    for (const oldest of this.#views.keys()) {
      if (this.#characters <= CHARACTERS_KEPT || oldest === etag) break;
      this.#forget(oldest);
    }
  }

  #forget(etag: string): void {
    const view = this.#views.get(etag);
    if (view === undefined) return;
    this.#views.delete(etag);
    this.#characters -= view.text.length;
  }
}
