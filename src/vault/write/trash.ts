import { LecternError } from '../../errors.ts';
import type { Page } from '../../index/note-index.ts';
import type { PlannedStep, Trashed } from '../../journal/journal.ts';
import { dirName, isNotePath, nameKey, normalizePath, stem } from '../../notes/path.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { StoreEntry } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import { decodeOffset, encodeOffset } from '../cursor.ts';
import { unreadableNotes } from '../left-alone.ts';
import { statVisible } from '../locate.ts';
import { childrenOf } from '../move/folder.ts';
import { planRelinking } from '../move/plan.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { JournalView } from '../view/journal-view.ts';
import { assertMayFollow, contextOf, outcomeNotices } from './edit.ts';
import { PlanSize } from './plan-size.ts';
import { changedMeanwhile } from './steps.ts';
import { newPlace, placeNotices, writableEntry } from './target.ts';
import type { DeleteResult, RemoveOptions, RestoreOptions, TrashRecord, WriteResult } from './types.ts';
import type { WritePlan } from './write-plan.ts';

const KEPT = { local: 'in_vault', system: 'on_desktop', none: 'in_journal' } as const;
/** Used when more than one note is trashed. */
const MOST_LINKS = 100_000;
const REMOVAL = { local: 'trash', system: 'trash_on_desktop', none: 'remove' } as const;

/**
 * Moves a note, canvas or base to the trash of the vault's settings, with its children on request. Folders
 * and attachments are never deleted.
 * @throws LecternError `not_found`, `invalid_input`, `conflict`, `forbidden`, `read_only`
 */
export async function removeNote(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  input: string,
  options: RemoveOptions,
): Promise<DeleteResult> {
  const writer = await parts.writer();
  const view = new JournalView(parts.journal(), access);
  const plan = async (): Promise<WritePlan<DeleteResult>> => {
    const { note, below } = await toRemove(parts, access, input, options);
    const all = note ? [note, ...below] : below;
    const paths = all.map(({ path }) => path);
    const { trash } = parts.settings;
    const steps: PlannedStep[] = [];
    const size = new PlanSize();
    for (const { path, kind } of all) {
      if (kind === 'attachment') {
        throw new LecternError(
          'invalid_input',
          `${path} is an attachment; only notes, canvases and bases are deleted.`,
          {
            next: 'Delete attachments in a file manager.',
          },
        );
      }
      const file = await parts.store.read(path);
      const etag = etagOfFile(file);
      if (options.ifMatch !== undefined && path === note?.path && options.ifMatch !== etag)
        throw changedMeanwhile(path);
      const step = { action: REMOVAL[trash], path, beforeEtag: etag, before: file.bytes };
      size.add(step);
      steps.push(step);
    }
    const brokenLinks = await linksFromOthers(parts, access, new Set(paths));
    const unreadable = await unreadableNotes(parts, access, paths.map(stem));
    const [path = input, ...children] = note ? paths : [normalizePath(input), ...paths];
    const more = below.length === 0 ? '' : ` and ${below.length} below it`;
    return {
      summary: `delete ${path}${more}`,
      steps: options.dryRun ? [] : steps,
      decisive: true,
      whole: below.length > 0,
      answer: ({ writeId, trashed }) => {
        const nameOf = (one: string) => {
          const lies = trashed.get(one);
          return lies && view.trashName(lies);
        };
        return {
          path,
          trashPath: nameOf(path),
          children: children.map((child) => ({ path: child, trashPath: nameOf(child) })),
          // Where a desktop has no trash, the vault's own is used.
          kept: trashed.has(path) ? 'in_vault' : KEPT[trash],
          brokenLinks,
          unreadable,
          writeId,
          dryRun: options.dryRun ?? false,
        };
      },
    };
  };
  const only = options.withChildren ? {} : { only: nameKey(normalizePath(input)) };
  return (await writer.commit(contextOf(parts, access, actor, options), plan, only)).answer;
}

/** The note at a path; with its children, those the caller sees, also when there is no note. */
async function toRemove(
  parts: VaultParts,
  access: Access,
  input: string,
  { withChildren = false }: RemoveOptions,
): Promise<{ note: StoreEntry | undefined; below: readonly StoreEntry[] }> {
  if (!withChildren) return { note: await writableEntry(parts, access, input), below: [] };
  const path = normalizePath(input);
  const folder = await childrenOf(parts, access, path);
  const below = (folder?.entries ?? []).filter(
    (entry) => entry.kind !== 'attachment' && access.mayRead(entry.path),
  );
  for (const entry of below) access.assertWritable(entry.path);
  const isThere = below.length === 0 || (await statVisible(parts.store, access, path)) !== undefined;
  return { note: isThere ? await writableEntry(parts, access, input) : undefined, below };
}

/** Links that will be broken: those from files that stay. */
async function linksFromOthers(
  parts: VaultParts,
  access: Access,
  paths: ReadonlySet<string>,
): Promise<number> {
  const visible = parts.listFilter(access);
  const reader = await parts.reader();
  const [only] = paths;
  // For one note its links to itself have always been counted; that answer stays as it is.
  if (only !== undefined && paths.size === 1)
    return (await reader.backlinks(only, { limit: 1, ...(visible && { visible }) })).total;
  const pacer = parts.pacer();
  let links = 0;
  for (const path of paths) {
    if (pacer.due) await pacer.pause();
    const { items } = await reader.backlinks(path, { limit: MOST_LINKS, ...(visible && { visible }) });
    links += items.filter(({ source }) => !paths.has(source)).length;
  }
  return links;
}

/**
 * The files in the trash, newest first, whose original path the caller may see. Files trashed by another
 * program have no known origin: only a caller that sees the whole vault gets them.
 */
export async function listTrash(
  parts: VaultParts,
  access: Access,
  request: { limit: number; cursor?: string },
): Promise<Page<TrashRecord>> {
  const view = new JournalView(parts.journal(), access);
  const records: TrashRecord[] = [];
  for (const { trashPath, size, mtimeMs } of await parts.store.listTrash()) {
    const from = view.trashed(trashPath);
    if (from)
      records.push({ trashPath: view.trashName(from), originalPath: from.path, deleted: from.time, size });
    else if (view.isWhole) records.push({ trashPath, originalPath: undefined, deleted: mtimeMs, size });
  }
  const placeOf = ({ originalPath, trashPath }: TrashRecord) =>
    view.isWhole ? trashPath : (originalPath ?? trashPath);
  records.sort((a, b) => b.deleted - a.deleted || (placeOf(a) < placeOf(b) ? -1 : 1));
  const start = decodeOffset(request.cursor);
  const items = records.slice(start, start + request.limit);
  const next = start + items.length;
  return { items, total: records.length, nextCursor: next < records.length ? encodeOffset(next) : null };
}

interface InTrash {
  /** The store's name for it. */
  readonly name: string;
  readonly size: number;
  /** Its original path, if known. */
  readonly from: string | undefined;
}

/** @throws LecternError `not_found` */
async function inTrash(parts: VaultParts, access: Access, trashPath: string): Promise<InTrash> {
  const view = new JournalView(parts.journal(), access);
  const trashed = view.isWhole ? view.trashed(trashPath) : view.trashedAs(trashPath);
  const name = trashed?.trashPath ?? (view.isWhole ? trashPath : undefined);
  const listed = (await parts.store.listTrash()).find((one) => one.trashPath === name);
  if (listed) return { name: listed.trashPath, size: listed.size, from: trashed?.path };
  throw new LecternError('not_found', `There is no ${trashPath} in the trash.`, {
    next: 'trash_list shows what is there.',
  });
}

/**
 * Restores a trashed file to its original path, or to `to`.
 * @throws LecternError `not_found`, `exists`, `invalid_input` when the original path is unknown
 */
export async function restoreTrashed(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  trashPath: string,
  to: string | undefined,
  options: RestoreOptions,
): Promise<WriteResult> {
  const writer = await parts.writer();
  const { size, from } = await inTrash(parts, access, trashPath);
  const target = to ?? from;
  if (target === undefined) {
    throw new LecternError('invalid_input', `Where ${trashPath} came from is not known.`, {
      next: 'Say where it shall go with to.',
    });
  }
  const asked = normalizePath(target);
  const plan = async (): Promise<WritePlan<WriteResult>> => {
    // Checked again: another program may have restored it meanwhile.
    const { name } = await inTrash(parts, access, trashPath);
    const { path, madeFolder } = await newPlace(parts, access, asked);
    const above = options.withAncestors ? await ancestorsInTrash(parts, access, path) : [];
    const ancestors = above.map((one) => one.path);
    const added = options.dryRun ? [] : [path, ...ancestors].filter(isNotePath);
    if (added.length > 0) await parts.indexer.sync();
    const relink =
      added.length > 0
        ? await planRelinking({ moved: new Map(), added }, parts, await parts.reader(), access)
        : undefined;
    assertMayFollow(access, relink?.steps ?? []);
    const step: PlannedStep = {
      action: 'restore',
      path,
      trashPath: name,
      ...(madeFolder !== undefined && { madeFolder }),
    };
    return {
      summary: `restore ${path}`,
      steps: options.dryRun
        ? []
        : [step, ...above.map((one) => ({ action: 'restore' as const, ...one })), ...(relink?.steps ?? [])],
      decisive: true,
      turned: relink?.turned,
      answer: (outcome) => ({
        path,
        // Of the restored bytes, which were not read before.
        etag: '',
        bytes: size,
        ...outcome.restored.get(path),
        created: true,
        changed: true,
        added: 0,
        removed: 0,
        diff: '',
        diffCut: false,
        writeId: outcome.writeId,
        dryRun: options.dryRun ?? false,
        relinked: relink?.relinked ?? [],
        notices: [
          ...(ancestors.length === 0 ? [] : [`with ${ancestors.join(', ')}`]),
          ...placeNotices(asked, path),
          ...outcomeNotices(outcome),
        ],
      }),
    };
  };
  return (await writer.commit(contextOf(parts, access, actor, options), plan)).answer;
}

/** The trashed notes whose child folder contains a path, where their place is still free: nearest first. */
async function ancestorsInTrash(
  parts: VaultParts,
  access: Access,
  path: string,
): Promise<readonly { path: string; trashPath: string }[]> {
  const view = new JournalView(parts.journal(), access);
  const newest = new Map<string, Trashed>();
  const pacer = parts.pacer();
  for (const { trashPath } of await parts.store.listTrash()) {
    if (pacer.due) await pacer.pause();
    const lies = view.trashed(trashPath);
    const known = lies && newest.get(lies.path);
    if (lies && (known === undefined || known.time < lies.time)) newest.set(lies.path, lies);
  }
  const found: { path: string; trashPath: string }[] = [];
  for (let folder = dirName(path); folder !== ''; folder = dirName(folder)) {
    const lies = newest.get(`${folder}.md`);
    if (lies === undefined || (await parts.store.stat(lies.path))) continue;
    await newPlace(parts, access, lies.path);
    found.push({ path: lies.path, trashPath: lies.trashPath });
  }
  return found;
}

/** The answer of a deletion after recovery, which found the names in the trash. */
export function withTrashNames(parts: VaultParts, access: Access, answer: DeleteResult): DeleteResult {
  if (answer.writeId === undefined) return answer;
  const view = new JournalView(parts.journal(), access);
  const names = new Map<string, string>();
  for (const { id, path } of view.group(answer.writeId)?.steps ?? []) {
    const lies = parts.journal().trashedBy(id);
    if (lies) names.set(path, view.trashName(lies));
  }
  const { path, children } = answer;
  return {
    ...answer,
    trashPath: answer.trashPath ?? names.get(path),
    children: children.map((child) => ({ ...child, trashPath: child.trashPath ?? names.get(child.path) })),
    kept: names.has(path) ? 'in_vault' : answer.kept,
  };
}

/** The answer of a restoration after recovery. */
export async function withRestored(parts: VaultParts, answer: WriteResult): Promise<WriteResult> {
  if (answer.etag !== '' || answer.dryRun) return answer;
  const file = await parts.store.read(answer.path).catch(() => undefined);
  return file ? { ...answer, etag: etagOfFile(file), bytes: file.bytes.length } : answer;
}
