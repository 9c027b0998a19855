import type { ParsedNote } from '../../notes/model.ts';

/** The lists of a parsed note; each may have a hundred thousand entries. */
const PARTS = ['headings', 'blocks', 'links', 'tags', 'tasks', 'opaque'] as const;
export type NotePart = (typeof PARTS)[number];

/** Entries per message, received in a few milliseconds. */
const PAGE = 1000;

/**
 * Sends a parsed note to another thread in pages: receiving it as one message would block that thread longer
 * than parsing it there.
 */
export class NotePages {
  #note: ParsedNote | undefined;

  keep(note: ParsedNote): Omit<ParsedNote, NotePart | 'text'> {
    this.#note = note;
    const { bodyStart, frontmatter } = note;
    return { bodyStart, frontmatter };
  }

  /** The last page releases the note. */
  page(part: NotePart, from: number): readonly unknown[] {
    const items = this.#note?.[part] ?? [];
    if (part === PARTS.at(-1) && from + PAGE > items.length) this.#note = undefined;
    return items.slice(from, from + PAGE);
  }
}

/** The lists of a note that the other thread holds. */
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
