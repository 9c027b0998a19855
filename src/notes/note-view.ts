import type { ParsedNote } from './model.ts';
import { tagKey } from './structure/tags.ts';
import { countWords } from './word-count.ts';

/** A note for display: its structure, its tags, and the numbers of words, links and tasks. */
export interface NoteView
  extends Pick<ParsedNote, 'text' | 'bodyStart' | 'frontmatter' | 'headings' | 'blocks'> {
  /** As first written; tags that differ only in case or Unicode form are one. */
  readonly tags: readonly string[];
  readonly counts: NoteCounts;
}

export interface NoteCounts {
  /** Number of words in the body. */
  readonly words: number;
  readonly links: number;
  readonly tasks: number;
  readonly tasksDone: number;
}

/** The view of a parsed note; the counts are computed on first use. */
export function viewOf(parsed: ParsedNote): NoteView {
  const { text, bodyStart, frontmatter, headings, blocks } = parsed;
  return {
    text,
    bodyStart,
    frontmatter,
    headings,
    blocks,
    get tags() {
      return distinctTags(parsed);
    },
    get counts() {
      return countsOf(parsed);
    },
  };
}

function countsOf({ text, bodyStart, links, tasks }: ParsedNote): NoteCounts {
  return {
    words: countWords(text.slice(bodyStart)),
    links: links.length,
    tasks: tasks.length,
    tasksDone: tasks.filter(({ status }) => /^(?:x|X|DONE)$/.test(status)).length,
  };
}

function distinctTags({ tags }: ParsedNote): string[] {
  const first = new Map<string, string>();
  for (const tag of tags) {
    const key = tagKey(tag.name);
    if (!first.has(key)) first.set(key, tag.name);
  }
  return [...first.values()];
}
