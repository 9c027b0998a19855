import type { NoteView } from '../notes/note-view.ts';

/** Limit for all texts together, characters: enough for the notes a caller pages through and those of one operation. */
const CHARACTERS_KEPT = 1_000_000;

/**
 * The notes opened recently, parsed: a caller reads an outline, then a section, then continues from an
 * offset. The file is read each time; the parsed note is found by its text.
 */
export class RecentViews {
  /** By etag, least recently used first. */
  readonly #views = new Map<string, NoteView>();
  #characters = 0;

  get(etag: string, text: string): NoteView | undefined {
    const view = this.#views.get(etag);
    // An etag identifies versions, but texts with equal etags can be made on purpose.
    if (view?.text !== text) return undefined;
    this.#views.delete(etag);
    this.#views.set(etag, view);
    return view;
  }

  /** The newest entry is kept whatever its size. */
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
