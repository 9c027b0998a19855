import { HEADINGS_PER_NOTE } from '../../budgets.ts';
import { isLecternError, LecternError } from '../../errors.ts';
import type { NoteIndexReader } from '../../index/note-index.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import type { FileLookup } from '../../notes/links/resolve.ts';
import type { Heading, ParsedNote } from '../../notes/model.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import { decodeText } from '../../notes/text.ts';
import type { StoredFile } from '../../stores/store.ts';
import type { VaultParts } from '../parts.ts';
import type { PlanSize } from '../write/plan-size.ts';
import { replaceStep } from '../write/replace-step.ts';
import { reheadText } from './reheading.ts';

/** Headings whose text changes because links in them are rewritten, by the path of their note before the move. */
export type ChangedHeadings = ReadonlyMap<string, readonly RenamedHeading[]>;

type Headed = Pick<ParsedNote, 'headings'>;

/**
 * The headings of a note whose text changes with a link in them: `# See [[Old]]`. Links name a heading by its
 * text, so links to these headings must be updated.
 * @throws LecternError `too_large`
 */
export function changedHeadings(path: string, before: Headed, after: Headed): readonly RenamedHeading[] {
  if (before.headings.length !== after.headings.length) return [];
  const renamed: RenamedHeading[] = [];
  let outline: readonly Heading[] = before.headings;
  for (const [index, { text: to }] of after.headings.entries()) {
    const heading = before.headings[index];
    if (heading === undefined || heading.text === to) continue;
    // Each has its own outline.
    if (renamed.length === HEADINGS_PER_NOTE) throw tooManyHeadings(path);
    const { text: from, level, line } = heading;
    renamed.push({ from, to, level, line, occurrence: 1, links: 0, outline, index });
    // In sequence, so that a link through two of them is updated for both.
    outline = outline.map((one, at) => (at === index ? { ...one, text: to } : one));
  }
  return renamed;
}

function tooManyHeadings(path: string): LecternError {
  return new LecternError(
    'too_large',
    `${path} has more than ${HEADINGS_PER_NOTE} headings whose links change.`,
    {
      details: { path, limit: HEADINGS_PER_NOTE },
      next: 'Nothing was changed. Take the links out of its headings, or pass update_links=false.',
    },
  );
}

export interface HeadingFollowers {
  readonly changed: ChangedHeadings;
  /** The notes whose links are updated, by their paths before the move. */
  readonly sources: readonly string[];
  /** The files after the move. */
  readonly files: FileLookup;
  readonly parts: Pick<VaultParts, 'settings' | 'parse' | 'pacer'>;
  /** Adds the steps that are new. */
  readonly size: PlanSize;
  readonly writeAt: (path: string) => string;
  /** Reads a source now; undefined when it is gone. */
  readonly read: (path: string) => Promise<StoredFile | undefined>;
}

export interface HeadingFollow {
  readonly step: PlannedStep;
  readonly links: number;
}

export interface FollowedHeadings {
  /** By the path after the move; replaces an existing step of that note. */
  readonly follows: ReadonlyMap<string, HeadingFollow>;
  /** Notes with a link that cannot be updated, and its target. */
  readonly lost: readonly { readonly path: string; readonly target: string; readonly heading: string }[];
}

/** The notes that link to one of these, and these notes. */
export async function headingSources(changed: ChangedHeadings, reader: NoteIndexReader): Promise<string[]> {
  if (changed.size === 0) return [];
  const paths = [...changed.keys()];
  return [...new Set([...(await reader.linkSources(paths)), ...paths])].sort();
}

/**
 * The steps that update links to headings whose text a move changes.
 * @param steps the steps planned so far, by path
 */
export async function followHeadings(
  steps: ReadonlyMap<string, PlannedStep>,
  { changed, sources, files, parts, size, writeAt, read }: HeadingFollowers,
): Promise<FollowedHeadings> {
  const follows = new Map<string, HeadingFollow>();
  const lost: FollowedHeadings['lost'][number][] = [];
  const pacer = parts.pacer();
  for (const source of sources) {
    const path = writeAt(source);
    const planned = steps.get(path);
    const stored = await read(source);
    const before = planned?.before ?? stored?.bytes;
    const decoded = before && decodeText(planned?.after ?? before);
    if (!before || !decoded?.ok) continue;
    let { text } = decoded;
    let links = 0;
    for (const [old, renamed] of changed) {
      const target = writeAt(old);
      if (pacer.due) await pacer.pause();
      try {
        const result = await reheadText(path, text, { path: target, renamed, files, parts });
        text = result.text;
        links += result.links;
      } catch (error) {
        if (!isLecternError(error) || error.code !== 'invalid_input') throw error;
        // A heading that has a duplicate now does not stop the move.
        lost.push({ path, target, heading: renamed[0]?.from ?? '' });
      }
    }
    if (links === 0) continue;
    const step = { ...replaceStep(path, before, text, stored?.entry.facts), follows: true as const };
    if (planned === undefined) size.add(step);
    follows.set(path, { step, links });
  }
  return { follows, lost };
}
