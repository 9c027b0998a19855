import { isLecternError, LecternError } from '../../errors.ts';
import { parseCanvas } from '../../formats/canvas/model.ts';
import { canvasReferences } from '../../formats/canvas/references.ts';
import { jsonStringContent } from '../../formats/json-spans.ts';
import type { NoteIndexReader } from '../../index/note-index.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { quotedLike } from '../../notes/frontmatter/property-quote.ts';
import { type FileLookup, resolveLink } from '../../notes/links/resolve.ts';
import { writtenSubpath } from '../../notes/links/subpath.ts';
import type { Link } from '../../notes/model.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import { leadsToTheSame, renamedSubpath } from '../../notes/patch/headings.ts';
import { assertSplices } from '../../notes/patch/places.ts';
import { fileKindOf, pathKey } from '../../notes/path.ts';
import { applySplices, type Splice } from '../../notes/splice.ts';
import { decodeText } from '../../notes/text.ts';
import type { Store } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import type { VaultParts } from '../parts.ts';
import type { VaultSettings } from '../settings.ts';
import { PlanSize } from '../write/plan-size.ts';
import { replaceStep } from '../write/replace-step.ts';
import type { RelinkedNote } from '../write/types.ts';
import { FileTable } from './file-table.ts';
import { readIfThere } from './read-if-there.ts';

/** A link with a subpath, in a note or a canvas. */
interface SubpathLink {
  /** Undefined for a canvas's file node, whose target is a path from the root. */
  readonly syntax: Link['syntax'] | undefined;
  readonly target: string;
  /** With its `#`; percent-encoded in a Markdown link. */
  readonly subpath: string;
  readonly place: Pick<Splice, 'start' | 'end'>;
  /** The new subpath in the form this place needs. */
  written(subpath: string): string;
}

/**
 * The edits in other files that keep links on renamed headings. The files for link resolution are the same as
 * in {@link planRelinking}.
 * @throws LecternError `invalid_input` when a link would then lead to another heading of that name,
 *   `unavailable`
 */
export async function planReheading(
  path: string,
  renamed: readonly RenamedHeading[],
  parts: Pick<VaultParts, 'store' | 'settings' | 'parse' | 'pacer'>,
  reader: NoteIndexReader,
  access: Access,
): Promise<{ steps: readonly PlannedStep[]; relinked: readonly RelinkedNote[] }> {
  const steps: PlannedStep[] = [];
  const unseen: PlannedStep[] = [];
  const relinked: RelinkedNote[] = [];
  const sources = (await reader.linkSources([path])).filter((source) => source !== path);
  if (renamed.length === 0 || sources.length === 0) return { steps, relinked };
  const all = await FileTable.of(reader);
  const seen = all.seenBy(access);
  const among = (files: FileTable): Reheading => ({ path, renamed, files, parts });
  const { store } = parts;
  const pacer = parts.pacer();
  const size = new PlanSize();
  for (const source of sources) {
    if (pacer.due) await pacer.pause();
    if (access.mayRead(source)) {
      const planned = await rehead(source, store, among(seen));
      if (planned === undefined) continue;
      size.add(planned.step);
      relinked.push({ path: source, links: planned.links });
      steps.push(planned.step);
    } else if (!access.isProtected(source)) {
      const planned = await rehead(source, store, among(all)).catch(unlessBroken);
      if (planned) size.add(planned.step);
      if (planned) unseen.push({ ...planned.step, unseen: true });
    }
  }
  return { steps: [...steps, ...unseen], relinked };
}

/** A note the caller does not see stops nothing: links that cannot be updated stay as they are. */
function unlessBroken(error: unknown): undefined {
  if (!isLecternError(error)) throw error;
}

export interface Reheading {
  /** The note whose headings are renamed. */
  readonly path: string;
  readonly renamed: readonly RenamedHeading[];
  /** The files for link resolution, as they are when the links are read. */
  readonly files: FileLookup;
  readonly parts: Pick<VaultParts, 'settings' | 'parse' | 'pacer'>;
}

/** @returns undefined when no link of the file leads to these headings */
async function rehead(
  source: string,
  store: Store,
  reheading: Reheading,
): Promise<{ step: PlannedStep; links: number } | undefined> {
  const file = await readIfThere(store, source);
  const decoded = file && decodeText(file.bytes);
  if (!file || !decoded?.ok) return undefined;
  const { text, links } = await reheadText(source, decoded.text, reheading);
  if (links === 0) return undefined;
  return { step: { ...replaceStep(source, file.bytes, text, file.entry.facts), follows: true }, links };
}

/**
 * The text with links to renamed headings updated, and how many links changed.
 * @throws LecternError `invalid_input` when a link would then lead to another heading of that name;
 *   `too_large`
 */
export async function reheadText(
  source: string,
  before: string,
  { path, renamed, files, parts }: Reheading,
): Promise<{ readonly text: string; readonly links: number }> {
  const { settings } = parts;
  // Keyed by position: two uses of one reference definition share it.
  const splices = new Map<number, Splice>();
  const links = await subpathLinks(source, before, parts);
  const wanted: string[] = [];
  const pacer = parts.pacer();
  for (const link of links) {
    if (pacer.due) await pacer.pause();
    const leadsHere =
      link.syntax === undefined
        ? pathKey(link.target) === pathKey(path)
        : resolveLink(source, link.target, link.syntax, files, settings.dialect).path === path;
    let { subpath } = link;
    if (leadsHere)
      for (const heading of renamed) subpath = followed(heading, subpath, link.syntax ?? 'wiki', settings);
    if (subpath !== link.subpath)
      splices.set(link.place.start, { ...link.place, insert: link.written(subpath) });
    wanted.push(subpath);
  }
  const sorted = [...splices.values()].sort((a, b) => a.start - b.start);
  assertSplices(before, sorted);
  const text = applySplices(before, sorted);
  if (sorted.length > 0) assertReadBack(links, wanted, await subpathLinks(source, text, parts));
  return { text, links: sorted.length };
}

/** A heading may contain characters that end a link in its place, such as a backtick followed by another one. */
function assertReadBack(
  before: readonly SubpathLink[],
  wanted: readonly string[],
  after: readonly SubpathLink[],
): void {
  const isKept = ({ target }: SubpathLink, at: number) =>
    after[at]?.target === target && after[at].subpath === wanted[at];
  if (after.length === before.length && before.every(isKept)) return;
  throw new LecternError(
    'invalid_input',
    'Refused, because a link in another note would not be read as a link to the new heading.',
    { next: 'Choose a text without backticks, $ and other marks of Markdown.' },
  );
}

function followed(
  heading: RenamedHeading,
  subpath: string,
  syntax: Link['syntax'],
  { dialect }: Pick<VaultSettings, 'dialect'>,
): string {
  const now = renamedSubpath(heading, subpath, syntax, dialect) ?? subpath;
  if (leadsToTheSame(heading, subpath, now, syntax, dialect)) return now;
  throw new LecternError(
    'invalid_input',
    `Refused, because a link in another note would then lead to another heading named "${heading.to}".`,
    { next: 'Choose another text for the heading, or change that link first.' },
  );
}

async function subpathLinks(
  source: string,
  text: string,
  { parse }: Pick<VaultParts, 'parse'>,
): Promise<readonly SubpathLink[]> {
  if (fileKindOf(source) === 'canvas') return canvasSubpathLinks(text);
  if (fileKindOf(source) !== 'note') return [];
  const parsed = await parse(text);
  return parsed.links
    .filter((link) => link.subpath !== '')
    .map((link) => ({
      syntax: link.syntax,
      target: link.target,
      subpath: writtenSubpath(text, link),
      place: { start: link.subpathSpan.start, end: link.subpathSpan.end },
      written: (subpath) => quotedLike(parsed, link, subpath),
    }));
}

function canvasSubpathLinks(text: string): readonly SubpathLink[] {
  let references: ReturnType<typeof canvasReferences>;
  try {
    references = canvasReferences(parseCanvas(text));
  } catch {
    // A broken canvas is never written; vault_status reports it.
    return [];
  }
  return references.flatMap(({ link, target, subpath, subpathSpan }): SubpathLink[] => {
    if (subpath === '' || target === '' || subpathSpan === undefined) return [];
    const { start, end } = subpathSpan;
    return [
      {
        syntax: link?.syntax,
        target,
        subpath: JSON.parse(`"${text.slice(start, end)}"`) as string,
        place: { start, end },
        written: jsonStringContent,
      },
    ];
  });
}
