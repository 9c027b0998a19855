import { isLecternError } from '../../errors.ts';
import { parseCanvas } from '../../formats/canvas/model.ts';
import { canvasReferences } from '../../formats/canvas/references.ts';
import { jsonStringContent } from '../../formats/json-spans.ts';
import type { NoteIndexReader } from '../../index/note-index.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { setProperty } from '../../notes/frontmatter/edit.ts';
import type { ParsedNote } from '../../notes/model.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import { assertSplices } from '../../notes/patch/places.ts';
import { fileKindOf, nameKey } from '../../notes/path.ts';
import { applySplices, type Splice } from '../../notes/splice.ts';
import { decodeText } from '../../notes/text.ts';
import type { Pacer } from '../../search/pacer.ts';
import type { Store, StoredFile } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import { joined, type LeftAlone, type LeftAloneList, NOTHING_LEFT } from '../left-alone.ts';
import type { VaultParts } from '../parts.ts';
import { PlanSize } from '../write/plan-size.ts';
import { replaceStep } from '../write/replace-step.ts';
import type { RelinkedNote } from '../write/types.ts';
import { FileTable } from './file-table.ts';
import type { FilesChange } from './files-change.ts';
import { type ChangedHeadings, changedHeadings, followHeadings, headingSources } from './heading-links.ts';
import { readIfThere } from './read-if-there.ts';
import { type FileChange, type Relinked, relinkNote, relinkPath } from './relink.ts';
import { relinkInSlices } from './relink-in-slices.ts';
import type { Retitled } from './retitle.ts';
import { staleElsewhere, stalePlaces } from './stale-mentions.ts';
import { turnedNotes } from './turned.ts';
import { assertLinksKept } from './verify.ts';

const READS_AT_ONCE = 16;

/** The parts of a vault that planning needs. */
export type RelinkParts = Pick<VaultParts, 'store' | 'settings' | 'parse' | 'pacer'>;

export interface RelinkPlan {
  /** Steps in notes the caller sees; those in other notes are marked `unseen`. */
  readonly steps: readonly PlannedStep[];
  /** Only notes the caller sees; the same holds below. */
  readonly relinked: readonly RelinkedNote[];
  readonly links: number;
  /** Links for which no spelling leads to the new path. */
  readonly lost: readonly LostLink[];
  /** Mentions outside links, in notes the caller sees. */
  readonly leftAlone: LeftAloneList;
  /** Notes the caller sees in which a link changes its target when all files are considered. For the audit log only. */
  readonly turned?: readonly string[];
  /** Plans the same change again for some notes (by their paths after it), from their current bytes. */
  again(paths: readonly string[]): Promise<RelinkPlan>;
}

interface LostLink {
  readonly path: string;
  readonly target: string;
  /** The heading named by the link, when only that part is lost. */
  readonly heading?: string;
}

/** What a caller should know about a plan. */
export function relinkNotices(plan: Pick<RelinkPlan, 'lost'>): string[] {
  return plan.lost.map(({ path, target, heading }) =>
    heading === undefined
      ? `${path}: no spelling of a link to ${target} leads to the new place.`
      : `${path}: links to the heading "${heading}" of ${target} do not follow its new text, which another heading has or no link can hold.`,
  );
}

/**
 * Plans every edit that keeps links on their targets when files move or appear. Reads the notes that may be
 * concerned (those with a link that contains the name of a moved, new or removed file, and notes that move
 * themselves) and rewrites spans.
 *
 * Notes the caller sees are planned as if only the files the caller sees existed: the text written into them
 * reveals no hidden file. Notes the caller does not see are planned among all files; a link that cannot be
 * updated there stops nothing.
 *
 * @throws LecternError `unavailable`, `invalid_path` because of a note the caller sees
 */
export async function planRelinking(
  files: FilesChange,
  parts: RelinkParts,
  reader: NoteIndexReader,
  access: Access,
): Promise<RelinkPlan> {
  const { store, settings } = parts;
  const size = new PlanSize();
  const { moved, added, retitled = new Map<string, Retitled>() } = files;
  const all = await FileTable.of(reader);
  const among = (before: FileTable, moves: FilesChange['moved']): FileChange => ({
    before,
    after: before.after({ moved: moves, added, retitled }),
    moved: moves,
    settings,
    folder: files.folder,
    retitled,
  });
  const unseen = among(all, moved);
  const mayRead = (path: string) => access.mayRead(path);
  const seen =
    access.filter === undefined
      ? unseen
      : among(all.seenBy(access), new Map([...moved].filter(([from]) => mayRead(from))));
  const here = (path: string) => path;
  const moveOf = (path: string) => moved.get(path) ?? path;
  const isOther = (path: string) => !mayRead(path) && !access.isProtected(path);
  const theirHeadings = new Map<string, readonly RenamedHeading[]>();
  const headings = new Map<string, readonly RenamedHeading[]>();
  /** @param sources paths before the change @param readAt current path of a source */
  const planned = async (
    sources: readonly string[],
    readAt: (path: string) => string,
    only?: readonly string[],
  ): Promise<Omit<RelinkPlan, 'again'>> => {
    const places = { store, readAt, writeAt: moveOf, parts, size };
    const plan = await planFor(sources.filter(mayRead), places, seen, { reports: moved.size > 0 });
    const silent = await planFor(sources.filter(isOther), places, unseen, { unseen: true });
    for (const [path, renamed] of plan.changed) theirHeadings.set(path, renamed);
    for (const [path, renamed] of [...plan.changed, ...silent.changed]) headings.set(path, renamed);
    const linking = only ?? (await headingSources(headings, reader));
    const follow = await withHeadings(plan, theirHeadings, linking.filter(mayRead), places, seen);
    const hidden = await withHeadings(silent, headings, linking.filter(isOther), places, unseen, {
      unseen: true,
    });
    const { changed: _, ...rest } = follow;
    return { ...rest, steps: [...follow.steps, ...hidden.steps] };
  };
  const named = [...moved.keys(), ...moved.values(), ...added];
  const sources = files.only ?? new Set([...(await reader.linkSources(named)), ...moved.keys()]);
  const old = new Map([...moved].map(([from, to]) => [to, from]));
  // Folder by folder, so that one flush of a folder serves several notes written in a row.
  const readable = [...sources].filter((path) => fileKindOf(path) !== 'attachment').sort();
  const again = async (paths: readonly string[]): Promise<RelinkPlan> => {
    const olds = paths.map((path) => old.get(path) ?? path);
    return { ...(await planned(olds, moveOf, olds)), again };
  };
  const unturned = await planned(readable, here, files.only);
  // When no hidden file has one of these names, only a moved note can have had links to one.
  const isHiddenNamesake = (path: string) => all.byName(nameKey(path)).some((one) => !mayRead(one));
  const turnable = named.some(isHiddenNamesake) ? readable : [...moved.keys()];
  const read = (path: string) => readIfThere(store, path);
  const turned =
    seen === unseen ? [] : await turnedNotes(turnable.filter(mayRead), unturned.steps, unseen, parts, read);
  const plan = { ...unturned, turned };
  if (moved.size === 0 || files.only) return { ...plan, again };
  const elsewhere = await staleElsewhere(new Set(readable), seen, reader, access);
  const leftAlone = joined(plan.leftAlone, {
    ...elsewhere,
    items: elsewhere.items.map((one) => ({ ...one, path: moveOf(one.path) })),
  });
  return { ...plan, leftAlone, again };
}

interface PlannedFor extends Omit<RelinkPlan, 'again'> {
  readonly changed: ChangedHeadings;
}

interface Places {
  readonly store: Store;
  /** Current path of a source. */
  readonly readAt: (path: string) => string;
  /** Path of a source after the steps. */
  readonly writeAt: (path: string) => string;
  readonly parts: RelinkParts;
  readonly size: PlanSize;
}

/**
 * @param sources paths before the change
 * @param unseen the caller sees none of them: links that cannot be updated are left out
 * @param reports whether the places left unchanged are collected
 */
async function planFor(
  sources: readonly string[],
  { store, readAt, writeAt, parts, size }: Places,
  change: FileChange,
  { unseen = false, reports = false } = {},
): Promise<PlannedFor> {
  const steps: PlannedStep[] = [];
  const relinked: RelinkedNote[] = [];
  const lost: LostLink[] = [];
  const changed = new Map<string, readonly RenamedHeading[]>();
  const left: LeftAlone[] = [];
  let links = 0;
  const pacer = parts.pacer();
  for await (const { source, file } of readAll(sources, sourceReader({ store, readAt }, unseen))) {
    const path = writeAt(source);
    const result = await (unseen ? relinkedOrNot : relinkFile)(source, file, change, parts, pacer);
    for (const target of result?.lost ?? []) lost.push({ path, target });
    if (reports && result?.note)
      for (const place of stalePlaces(source, result.note, change)) left.push({ path, ...place });
    if (result?.renamed?.length) changed.set(source, result.renamed);
    if (result && result.splices.length > 0) {
      links += result.links;
      if (result.links > 0) relinked.push({ path, links: result.links });
      const step = replaceStep(path, file.bytes, applySplices(result.text, result.splices), file.entry.facts);
      size.add(step);
      steps.push({ ...step, follows: true, ...(unseen && { unseen }) });
    }
    if (pacer.due) await pacer.pause();
  }
  relinked.sort(byPath);
  return { steps, relinked, links, lost, leftAlone: { ...NOTHING_LEFT, items: left }, changed };
}

/** The plan, with links to headings updated whose text changes with a link in them. */
async function withHeadings(
  plan: PlannedFor,
  changed: ChangedHeadings,
  sources: readonly string[],
  { store, readAt, writeAt, parts, size }: Places,
  { after }: FileChange,
  { unseen = false } = {},
): Promise<PlannedFor> {
  if (changed.size === 0) return plan;
  const read = sourceReader({ store, readAt }, unseen);
  const steps = new Map(plan.steps.map((step) => [step.path, step]));
  const followers = { changed, sources, files: after, parts, size, writeAt, read };
  const { follows, lost } = await followHeadings(steps, followers);
  const relinked = new Map(plan.relinked.map((note) => [note.path, note]));
  let { links } = plan;
  for (const [path, { step, links: more }] of follows) {
    links += more;
    relinked.set(path, { path, links: (relinked.get(path)?.links ?? 0) + more });
    steps.set(path, { ...step, ...(unseen && { unseen }) });
  }
  return {
    ...plan,
    steps: [...steps.values()],
    relinked: [...relinked.values()].sort(byPath),
    links,
    lost: [...plan.lost, ...lost],
  };
}

function byPath(a: RelinkedNote, b: RelinkedNote): number {
  return a.path < b.path ? -1 : 1;
}

/** Reads a source at its current path. A source the caller does not see is left out when it cannot be read. */
function sourceReader({ store, readAt }: Pick<Places, 'store' | 'readAt'>, unseen: boolean) {
  return (source: string): Promise<StoredFile | undefined> => {
    const reading = readIfThere(store, readAt(source));
    return unseen ? reading.catch(() => undefined) : reading;
  };
}

/** Reads ahead of the consumer. A removed file contains no link to keep. */
async function* readAll(
  sources: readonly string[],
  read: (source: string) => Promise<StoredFile | undefined>,
): AsyncIterable<{ source: string; file: StoredFile }> {
  for (let from = 0; from < sources.length; from += READS_AT_ONCE) {
    const slice = sources.slice(from, from + READS_AT_ONCE);
    const files = await Promise.all(slice.map(read));
    for (const [at, file] of files.entries()) {
      const source = slice[at];
      if (file && source !== undefined) yield { source, file };
    }
  }
}

interface RelinkedText extends Relinked {
  /** Of the file before the change. */
  readonly text: string;
  readonly note?: ParsedNote;
  /** Headings of the note whose text changed with a link in them. */
  readonly renamed?: readonly RenamedHeading[];
}

/** @returns undefined when the file contains no text */
async function relinkFile(
  path: string,
  { entry, bytes }: StoredFile,
  change: FileChange,
  { parse }: RelinkParts,
  pacer: Pacer,
): Promise<RelinkedText | undefined> {
  const decoded = decodeText(bytes);
  if (!decoded.ok) return undefined;
  const { text } = decoded;
  if (entry.kind === 'canvas') return { text, ...(await relinkCanvas(path, text, change, pacer)) };
  if (entry.kind !== 'note') return undefined;
  const { dialect } = change.settings;
  const note = await parse(text);
  const { links, frontmatter } = note;
  const result = await relinkInSlices(path, text, links, frontmatter, change, pacer);
  const title = change.retitled.get(path);
  const splices = [...result.splices, ...(title ? setProperty(text, dialect, 'title', title.to) : [])];
  if (splices.length === 0) return { text, note, ...result };
  splices.sort((a, b) => a.start - b.start);
  assertSplices(text, splices);
  const after = await parse(applySplices(text, splices));
  await assertLinksKept(path, links, after.links, result.lost, change, pacer);
  return { text, note, renamed: changedHeadings(path, note, after), ...result, splices };
}

/** As {@link relinkFile}, for a note whose links stay unchanged when not all can be updated. */
async function relinkedOrNot(...given: Parameters<typeof relinkFile>): Promise<RelinkedText | undefined> {
  try {
    return await relinkFile(...given);
  } catch (error) {
    if (isLecternError(error)) return undefined;
    throw error;
  }
}

async function relinkCanvas(path: string, text: string, change: FileChange, pacer: Pacer): Promise<Relinked> {
  let references: ReturnType<typeof canvasReferences>;
  try {
    references = canvasReferences(parseCanvas(text));
  } catch {
    // A broken canvas is never written; vault_status reports it.
    return { splices: [], links: 0, lost: [] };
  }
  // Keyed by position: two uses of one reference definition share it.
  const splices = new Map<number, Splice>();
  const lost: string[] = [];
  let links = 0;
  for (const { kind, target, targetSpan, displaySpan, link } of references) {
    if (pacer.due) await pacer.pause();
    if (kind === 'file') {
      const to = relinkPath(target, change);
      if (to === undefined) continue;
      links++;
      splices.set(targetSpan.start, { ...targetSpan, insert: jsonStringContent(to) });
    } else if (link) {
      // The link's spans count in the decoded text of the node, so only the new target is taken from it.
      const result = relinkNote(path, '', [link], undefined, change);
      lost.push(...result.lost);
      links += result.links;
      for (const splice of result.splices) {
        const span = splice.start === link.targetSpan.start ? targetSpan : displaySpan;
        if (span) splices.set(span.start, { ...span, insert: jsonStringContent(splice.insert) });
      }
    }
  }
  const sorted = [...splices.values()].sort((a, b) => a.start - b.start);
  const linksOf = (all: typeof references) => all.flatMap(({ link }) => link ?? []);
  if (links > 0) {
    assertSplices(text, sorted);
    const after = canvasReferences(parseCanvas(applySplices(text, sorted)));
    await assertLinksKept(path, linksOf(references), linksOf(after), lost, change, pacer);
  }
  return { splices: sorted, links, lost };
}
