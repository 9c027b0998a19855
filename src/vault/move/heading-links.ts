import { isLecternError } from '../../errors.ts';
import type { NoteIndexReader } from '../../index/note-index.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import type { FileLookup } from '../../notes/links/resolve.ts';
import type { Heading, ParsedNote } from '../../notes/model.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import { decodeText } from '../../notes/text.ts';
import type { StoredFile } from '../../stores/store.ts';
import type { VaultSettings } from '../settings.ts';
import { replaceStep } from '../write/replace-step.ts';
import { reheadText } from './reheading.ts';

/** Headings that get other names because links in them are rewritten, by the path of their note before the move. */
export type ChangedHeadings = ReadonlyMap<string, readonly RenamedHeading[]>;

type Headed = Pick<ParsedNote, 'headings'>;

/**
 * The headings of a note whose text changed with its links: `# See [[Old]]`. Links lead to a heading by its
 * text, so those have to follow.
 */
export function changedHeadings(before: Headed, after: Headed): readonly RenamedHeading[] {
  if (before.headings.length !== after.headings.length) return [];
  const renamed: RenamedHeading[] = [];
  let outline: readonly Heading[] = before.headings;
  for (const [index, { text: to }] of after.headings.entries()) {
    const heading = before.headings[index];
    if (heading === undefined || heading.text === to) continue;
    const { text: from, level, line } = heading;
    renamed.push({ from, to, level, line, occurrence: 1, links: 0, outline, index });
    // One after the other, so that a link through two of them is followed through both.
    outline = outline.map((one, at) => (at === index ? { ...one, text: to } : one));
  }
  return renamed;
}

export interface HeadingFollowers {
  readonly changed: ChangedHeadings;
  /** The notes whose links follow, by their paths before the move. */
  readonly sources: readonly string[];
  /** The files after the move. */
  readonly files: FileLookup;
  readonly settings: Pick<VaultSettings, 'dialect'>;
  readonly writeAt: (path: string) => string;
  /** A source as it is now, undefined when it is gone. */
  readonly read: (path: string) => Promise<StoredFile | undefined>;
}

export interface HeadingFollow {
  readonly step: PlannedStep;
  readonly links: number;
}

export interface FollowedHeadings {
  /** By the path after the move; instead of the step there may be. */
  readonly follows: ReadonlyMap<string, HeadingFollow>;
  /** Notes with a link that cannot follow, and where it leads. */
  readonly lost: readonly { readonly path: string; readonly target: string; readonly heading: string }[];
}

/** The notes that link to one of these, the notes themselves among them. */
export async function headingSources(changed: ChangedHeadings, reader: NoteIndexReader): Promise<string[]> {
  if (changed.size === 0) return [];
  const paths = [...changed.keys()];
  return [...new Set([...(await reader.linkSources(paths)), ...paths])].sort();
}

/**
 * The steps in which links follow headings whose text a move changes.
 * @param steps what is planned already, by path
 */
export async function followHeadings(
  steps: ReadonlyMap<string, PlannedStep>,
  { changed, sources, files, settings, writeAt, read }: HeadingFollowers,
): Promise<FollowedHeadings> {
  const follows = new Map<string, HeadingFollow>();
  const lost: FollowedHeadings['lost'][number][] = [];
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
      try {
        const result = reheadText(path, text, { path: target, renamed, files, settings });
        text = result.text;
        links += result.links;
      } catch (error) {
        if (!isLecternError(error)) throw error;
        // The move is not held up by a heading that has a namesake now.
        lost.push({ path, target, heading: renamed[0]?.from ?? '' });
      }
    }
    if (links > 0)
      follows.set(path, {
        step: { ...replaceStep(path, before, text, stored?.entry.facts), follows: true },
        links,
      });
  }
  return { follows, lost };
}
