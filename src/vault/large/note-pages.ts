import type { ParsedNote } from '../../notes/model.ts';

/** The lists of a parsed note, which may have a hundred thousand entries each. */
const PARTS = ['headings', 'blocks', 'links', 'tags', 'tasks', 'opaque'] as const;
export type NotePart = (typeof PARTS)[number];

/** Entries that are received in some milliseconds. */
const PAGE = 1000;

/**
 * A parsed note on its way to another thread, some entries at a time: to receive all of them at once would hold that
 * thread up for longer than parsing there.
 */
export class NotePages {
  #note: ParsedNote | undefined;

  keep(note: ParsedNote): Omit<ParsedNote, NotePart | 'text'> {
    this.#note = note;
    const { bodyStart, frontmatter } = note;
    return { bodyStart, frontmatter };
  }

  /** The last page lets go of the note. */
  page(part: NotePart, from: number): readonly unknown[] {
    const items = this.#note?.[part] ?? [];
    if (part === PARTS.at(-1) && from + PAGE > items.length) this.#note = undefined;
    return items.slice(from, from + PAGE);
  }
}

/** The lists of the note that the other thread keeps. */
export async function notesByPage(
  ask: (page: { part: NotePart; from: number }) => Promise<readonly unknown[]>,
): Promise<Pick<ParsedNote, NotePart>> {
  const lists: Partial<Record<NotePart, unknown[]>> = {};
  for (const part of PARTS) {
    const items: unknown[] = [];
    for (let page = await ask({ part, from: 0 }); ; page = await ask({ part, from: items.length })) {
      for (const item of page) items.push(item);
      if (page.length < PAGE) break;
    }
    lists[part] = items;
  }
  return lists as Pick<ParsedNote, NotePart>;
}
