import { propertiesOf } from '../../vault/properties-of.ts';
import type { OpenedNote, VaultSession } from '../../vault/session.ts';
import { isoTime } from './fields.ts';
import { toBacklinkRow, toForwardRow, toHeadingRow } from './note-parts.ts';
import type { NoteReadOutput } from './note-read-output.ts';

export const NOTE_PARTS = ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'] as const;
type Part = (typeof NOTE_PARTS)[number];

/** Limits of rows per part: the totals are exact, and the operation of that name lists the rest. */
const OUTLINE_SHOWN = 100;
const LINKS_SHOWN = 50;

/** Reads the requested parts of a note besides its text. */
export async function readParts(
  vault: VaultSession,
  note: OpenedNote,
  include: ReadonlySet<Part>,
): Promise<Partial<NoteReadOutput>> {
  const { parsed } = note;
  const parts: Partial<NoteReadOutput> = {};
  if (include.has('frontmatter')) {
    // Facts that the store keeps beside the text have the names under which they are set.
    parts.frontmatter = propertiesOf(note);
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
  if (include.has('tags')) parts.tags = [...new Set([...parsed.tags, ...(note.facts?.tags ?? [])])];
  if (include.has('stats')) {
    const { words, links, tasks, tasksDone } = parsed.counts;
    parts.stats = {
      bytes: note.size,
      chars: parsed.text.length,
      words,
      headings: parsed.headings.length,
      links,
      tasks,
      tasks_done: tasksDone,
      created: isoTime(note.birthtimeMs),
    };
  }
  return parts;
}
