import { LecternError } from '../../errors.ts';
import type { Page } from '../../index/note-index.ts';
import { isNotePath, nameKey, normalizePath, stem } from '../../notes/path.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { Access } from '../access.ts';
import { decodeOffset, encodeOffset } from '../cursor.ts';
import { unreadableNotes } from '../left-alone.ts';
import { planRelinking } from '../move/plan.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { JournalView } from '../view/journal-view.ts';
import { assertMayFollow, contextOf, outcomeNotices } from './edit.ts';
import { changedMeanwhile } from './steps.ts';
import { newPlace, placeNotices, writableEntry } from './target.ts';
import type { DeleteResult, TrashRecord, WriteOptions, WriteResult } from './types.ts';
import type { WritePlan } from './writer.ts';

const KEPT = { local: 'in_vault', system: 'on_desktop', none: 'in_journal' } as const;
const REMOVAL = { local: 'trash', system: 'trash_on_desktop', none: 'remove' } as const;

/**
 * Moves a note, canvas or base to the trash that the vault's settings name. Folders and attachments are never deleted.
 * @throws LecternError `not_found`, `invalid_input`, `conflict`, `forbidden`, `read_only`
 */
export async function removeNote(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  input: string,
  options: WriteOptions,
): Promise<DeleteResult> {
  const writer = await parts.writer();
  let path = input;
  let brokenLinks = 0;
  const plan = async (): Promise<WritePlan | undefined> => {
    const entry = await writableEntry(parts, access, input);
    path = entry.path;
    if (entry.kind === 'attachment') {
      throw new LecternError(
        'invalid_input',
        `${path} is an attachment; only notes, canvases and bases are deleted.`,
        {
          next: 'Delete attachments in a file manager.',
        },
      );
    }
    const file = await parts.store.read(path);
    const { bytes } = file;
    const etag = etagOfFile(file);
    if (options.ifMatch !== undefined && options.ifMatch !== etag) throw changedMeanwhile(path);
    const visible = parts.listFilter(access);
    const links = await (await parts.reader()).backlinks(path, { limit: 1, ...(visible && { visible }) });
    brokenLinks = links.total;
    if (options.dryRun) return undefined;
    return {
      summary: `delete ${path}`,
      steps: [{ action: REMOVAL[parts.settings.trash], path, beforeEtag: etag, before: bytes }],
      decisive: true,
    };
  };
  const only = nameKey(normalizePath(input));
  const committed = await writer.commit(contextOf(parts, access, actor, options), plan, { only });
  const trashPath = committed?.trashPaths.get(path);
  const trashed = trashPath === undefined ? undefined : parts.journal().trashedFrom(trashPath);
  return {
    path,
    trashPath: trashed && new JournalView(parts.journal(), access).trashName(trashed),
    // Where a desktop has no trash, the vault's own is used.
    kept: trashPath !== undefined ? 'in_vault' : KEPT[parts.settings.trash],
    brokenLinks,
    unreadable: await unreadableNotes(parts, access, [stem(path)]),
    writeId: committed?.writeId,
    dryRun: options.dryRun ?? false,
  };
}

/**
 * What lies in the trash, newest first, as far as its old place may be seen. Where another program's deletions come
 * from nobody knows: they are for who sees the whole vault.
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
  /** Where it was, as far as that is known. */
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
 * Brings a trashed file back to where it was, or to `to`.
 * @throws LecternError `not_found`, `exists`, `invalid_input` when nobody knows where it was
 */
export async function restoreTrashed(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  trashPath: string,
  to: string | undefined,
  options: WriteOptions,
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
  let path = asked;
  let relinked: WriteResult['relinked'] = [];
  const plan = async (): Promise<WritePlan | undefined> => {
    // Again, as somebody may have been faster.
    const { name } = await inTrash(parts, access, trashPath);
    const place = await newPlace(parts, access, asked);
    path = place.path;
    const { madeFolder } = place;
    if (options.dryRun) return undefined;
    if (isNotePath(path)) await parts.indexer.sync();
    const relink = isNotePath(path)
      ? await planRelinking({ moved: new Map(), added: [path] }, parts, await parts.reader(), access)
      : undefined;
    assertMayFollow(access, relink?.steps ?? []);
    relinked = relink?.relinked ?? [];
    return {
      summary: `restore ${path}`,
      steps: [
        { action: 'restore', path, trashPath: name, ...(madeFolder !== undefined && { madeFolder }) },
        ...(relink?.steps ?? []),
      ],
      decisive: true,
      turned: relink?.turned,
    };
  };
  const committed = await writer.commit(contextOf(parts, access, actor, options), plan);
  const stored = committed ? await parts.store.read(path) : undefined;
  return {
    path,
    etag: stored ? etagOfFile(stored) : '',
    created: true,
    changed: true,
    bytes: stored?.bytes.length ?? size,
    added: 0,
    removed: 0,
    diff: '',
    diffCut: false,
    writeId: committed?.writeId,
    dryRun: options.dryRun ?? false,
    relinked,
    notices: [...placeNotices(asked, path), ...(committed ? outcomeNotices(committed) : [])],
  };
}
