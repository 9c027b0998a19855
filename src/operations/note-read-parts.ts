import type { OpenedNote, VaultSession } from '../vault/session.ts';
import { isoTime } from './fields.ts';
import { toBacklinkRow, toForwardRow, toHeadingRow } from './note-parts.ts';
import type { NoteReadOutput } from './note-read-output.ts';

export const NOTE_PARTS = ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'] as const;
type Part = (typeof NOTE_PARTS)[number];

/** Rows per part; the totals say what was cut, and the operation of that name lists the rest. */
const OUTLINE_SHOWN = 100;
const LINKS_SHOWN = 50;

/** The parts of a note that were asked for beside its text. */
export async function readParts(
  vault: VaultSession,
  note: OpenedNote,
  include: ReadonlySet<Part>,
): Promise<Partial<NoteReadOutput>> {
  const { parsed } = note;
  const parts: Partial<NoteReadOutput> = {};
  if (include.has('frontmatter')) {
    parts.frontmatter = { ...parsed.frontmatter?.data };
    const problems = parsed.frontmatter?.problems ?? [];
    if (problems.length > 0) {
      parts.frontmatter_problems = problems.map((problem) => `line ${problem.line}: ${problem.message}`);
    }
  }
  if (include.has('outline')) {
    parts.outline = parsed.headings.slice(0, OUTLINE_SHOWN).map(toHeadingRow);
    parts.outline_total = parsed.headings.length;
  }
  if (include.has('links')) {
    const page = await vault.forward(note.path, { limit: LINKS_SHOWN });
    parts.links = page.items.map(toForwardRow);
    parts.links_total = page.total;
  }
  if (include.has('backlinks')) {
    const page = await vault.backlinks(note.path, { limit: LINKS_SHOWN });
    parts.backlinks = page.items.map(toBacklinkRow);
    parts.backlinks_total = page.total;
  }
  if (include.has('tags')) parts.tags = [...distinctTags(note)];
  if (include.has('stats')) {
    parts.stats = {
      bytes: note.size,
      chars: parsed.text.length,
      words: countWords(parsed.text.slice(parsed.bodyStart)),
      headings: parsed.headings.length,
      links: parsed.links.length,
      tasks: parsed.tasks.length,
      tasks_done: parsed.tasks.filter((task) => task.status.toLowerCase() === 'x').length,
      created: isoTime(note.birthtimeMs),
    };
  }
  return parts;
}

/** As first written; tags that differ in case only are one. */
function distinctTags(note: OpenedNote): Iterable<string> {
  const first = new Map<string, string>();
  for (const tag of note.parsed.tags) {
    const key = tag.name.toLowerCase();
    if (!first.has(key)) first.set(key, tag.name);
  }
  return first.values();
}

/** Runs of letters and digits; scripts written without spaces count by character. */
function countWords(text: string): number {
  const pattern =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}'’_])+/gu;
  let words = 0;
  for (const _match of text.matchAll(pattern)) words++;
  return words;
}
