import { isLecternError, LecternError } from '../../errors.ts';
import { canvasReferences, parseCanvas } from '../../formats/canvas.ts';
import { jsonStringContent } from '../../formats/json-spans.ts';
import type { NoteIndexReader } from '../../index/note-index.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { parseNote } from '../../notes/parse.ts';
import { fileKindOf } from '../../notes/path.ts';
import { applySplices, type Splice } from '../../notes/splice.ts';
import { decodeText } from '../../notes/text.ts';
import type { Store, StoredFile, StoreEntry } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import type { VaultSettings } from '../settings.ts';
import { replaceStep } from '../write/replace-step.ts';
import type { RelinkedNote } from '../write/types.ts';
import { FileTable } from './file-table.ts';
import { type FileChange, type Relinked, relinkNote, relinkPath } from './relink.ts';
import { assertLinksKept } from './verify.ts';

const READS_AT_ONCE = 16;
/** Parsing pauses for other requests after this long. */
const SLICE_MS = 8;

export interface RelinkPlan {
  readonly steps: readonly PlannedStep[];
  readonly relinked: readonly RelinkedNote[];
  readonly links: number;
  /** Links that no spelling can lead to the new place. */
  readonly lost: readonly { readonly path: string; readonly target: string }[];
  /** The same change planned again for some notes (by their paths after it), from their bytes as they are now. */
  again(paths: readonly string[]): Promise<RelinkPlan>;
}

export interface FilesChange {
  /** Old path → new path. */
  readonly moved: ReadonlyMap<string, string>;
  /** The files moved because their folder did. */
  readonly folder?: boolean;
  /** Files that appear. */
  readonly added: readonly string[];
}

/** What the caller should know about a plan, as far as the caller may see the notes. */
export function relinkNotices(plan: Pick<RelinkPlan, 'lost'>, access: Access): string[] {
  return plan.lost
    .filter(({ path, target }) => access.mayRead(path) && access.mayRead(target))
    .map(({ path, target }) => `${path}: no spelling of a link to ${target} leads to the new place.`);
}

/**
 * Every edit that keeps the vault's links leading where they lead when files move or appear. Looks
 * at the notes that could be concerned (a link with the name of a file that moves, arrives or goes;
 * a note that moves itself), reads their bytes afresh and rewrites spans.
 */
export async function planRelinking(
  files: FilesChange,
  store: Store,
  reader: NoteIndexReader,
  settings: VaultSettings,
): Promise<RelinkPlan> {
  const { moved, added } = files;
  const before = await FileTable.of(reader);
  const change: FileChange = {
    before,
    after: before.after(moved, added),
    moved,
    settings,
    keepsPaths: files.folder ?? false,
  };
  const named = [...moved.keys(), ...moved.values(), ...added];
  const sources = new Set([...(await reader.linkSources(named)), ...moved.keys()]);
  const old = new Map([...moved].map(([from, to]) => [to, from]));
  const here = (path: string) => path;
  const moveOf = (path: string) => moved.get(path) ?? path;
  // Folder by folder, so that of notes written one after the other one flush of their folder serves for many.
  const readable = [...sources].filter((path) => fileKindOf(path) !== 'attachment').sort();
  const planned = await planFor(readable, here, moveOf, store, change);
  const again = async (paths: readonly string[]): Promise<RelinkPlan> => {
    const olds = paths.map((path) => old.get(path) ?? path);
    return { ...(await planFor(olds, moveOf, moveOf, store, change)), again };
  };
  return { ...planned, again };
}

/**
 * @param sources paths before the change
 * @param readAt where a source lies now
 * @param writeAt where it will lie when the steps are carried out
 */
async function planFor(
  sources: readonly string[],
  readAt: (path: string) => string,
  writeAt: (path: string) => string,
  store: Store,
  change: FileChange,
): Promise<Omit<RelinkPlan, 'again'>> {
  const steps: PlannedStep[] = [];
  const relinked: RelinkedNote[] = [];
  const lost: RelinkPlan['lost'][number][] = [];
  let links = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  for await (const { source, file } of readAll(store, sources, readAt)) {
    const decoded = decodeText(file.bytes);
    if (!decoded.ok) continue;
    const path = writeAt(source);
    const result = relinkFile(source, file.entry.kind, decoded.text, change);
    for (const target of result.lost) lost.push({ path, target });
    if (result.splices.length > 0) {
      links += result.links;
      relinked.push({ path, links: result.links });
      steps.push(replaceStep(path, file.bytes, applySplices(decoded.text, result.splices)));
    }
    if (performance.now() > sliceEnd) {
      await new Promise((resolve) => setImmediate(resolve));
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return { steps, relinked: relinked.sort((a, b) => (a.path < b.path ? -1 : 1)), links, lost };
}

/**
 * Reads ahead of the consumer. A file that vanished holds no link that could be kept.
 * @throws LecternError `unavailable` when one cannot be read: nobody knows what its links would lead to
 */
async function* readAll(
  store: Store,
  sources: readonly string[],
  readAt: (path: string) => string,
): AsyncIterable<{ source: string; file: StoredFile }> {
  for (let from = 0; from < sources.length; from += READS_AT_ONCE) {
    const slice = sources.slice(from, from + READS_AT_ONCE);
    const files = await Promise.all(slice.map((source) => readIfThere(store, readAt(source))));
    for (const [at, file] of files.entries()) {
      const source = slice[at];
      if (file && source !== undefined) yield { source, file };
    }
  }
}

/** @throws LecternError `unavailable` */
export async function readIfThere(store: Store, path: string): Promise<StoredFile | undefined> {
  try {
    return await store.read(path);
  } catch (error) {
    if (isLecternError(error) && error.code === 'not_found') return undefined;
    // Without its name: it may be hidden from the caller. The owner finds it in the log and in vault_status.
    throw new LecternError('unavailable', 'A note that has to follow the change cannot be read.', {
      cause: error,
      next: 'See vault_status for files that cannot be read, or leave the links alone with update_links=false.',
    });
  }
}

function relinkFile(path: string, kind: StoreEntry['kind'], text: string, change: FileChange): Relinked {
  if (kind === 'note') {
    const { dialect } = change.settings;
    const { links, frontmatter } = parseNote(text, { dialect });
    const result = relinkNote(path, text, links, frontmatter, change);
    if (result.splices.length > 0) {
      const after = parseNote(applySplices(text, result.splices), { dialect });
      assertLinksKept(path, links, after.links, result.lost, change);
    }
    return result;
  }
  if (kind === 'canvas') return relinkCanvas(path, text, change);
  return { splices: [], links: 0, lost: [] };
}

function relinkCanvas(path: string, text: string, change: FileChange): Relinked {
  let references: ReturnType<typeof canvasReferences>;
  try {
    references = canvasReferences(parseCanvas(text));
  } catch {
    // A broken canvas is never written to; vault_status reports it.
    return { splices: [], links: 0, lost: [] };
  }
  // By place: two uses of one reference definition share it.
  const splices = new Map<number, Splice>();
  const lost: string[] = [];
  let links = 0;
  for (const { kind, target, targetSpan, displaySpan, link } of references) {
    if (kind === 'file') {
      const to = relinkPath(target, change);
      if (to === undefined) continue;
      links++;
      splices.set(targetSpan.start, { ...targetSpan, insert: jsonStringContent(to) });
    } else if (link) {
      // The link's own spans are in the decoded text of the node: only what is written is taken over.
      const result = relinkNote(path, '', [link], undefined, change);
      lost.push(...result.lost);
      links += result.links;
      for (const splice of result.splices) {
        const span = splice.start === link.targetSpan.start ? targetSpan : displaySpan;
        if (span) splices.set(span.start, { ...span, insert: jsonStringContent(splice.insert) });
      }
    }
  }
  return { splices: [...splices.values()].sort((a, b) => a.start - b.start), links, lost };
}
