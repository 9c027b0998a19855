import { isLecternError, LecternError } from '../../errors.ts';
import { etagOf } from '../../notes/etag.ts';
import { assertPageName } from '../../notes/page-name.ts';
import {
  assertCreatable,
  dirName,
  extension,
  isNotePath,
  normalizeFolder,
  normalizePath,
} from '../../notes/path.ts';
import type { StoreEntry } from '../../stores/store.ts';
import { type Access, notFound } from '../access.ts';
import { statVisible } from '../locate.ts';
import type { Actor } from '../session.ts';
import type { VaultParts } from '../vault.ts';
import { assertMayFollow, outcomeNotices } from '../write/edit.ts';
import { changedMeanwhile } from '../write/steps.ts';
import { assertNew } from '../write/target.ts';
import type { MoveOptions, MoveResult } from '../write/types.ts';
import type { WritePlan } from '../write/writer.ts';
import { pagesBelow } from './namespace.ts';
import { planRelinking, type RelinkPlan, relinkNotices } from './plan.ts';

/** How often links in notes that were changed meanwhile are looked at again. */
const RELINK_ATTEMPTS = 3;

const NO_LINKS: RelinkPlan = { steps: [], relinked: [], links: 0, lost: [], again: async () => NO_LINKS };

interface Planned {
  readonly moved: ReadonlyMap<string, string>;
  readonly relink: RelinkPlan;
  readonly etag: string | undefined;
}

/**
 * Moves or renames a file or a folder (a Logseq page with the pages below it), and rewrites every link that would break or change its
 * meaning, as one journaled group.
 * @throws LecternError `not_found`, `exists`, `invalid_path`, `invalid_input`, `conflict`, `forbidden`, `read_only`
 */
export async function moveFiles(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  fromInput: string,
  toInput: string,
  options: MoveOptions,
): Promise<MoveResult> {
  const writer = await parts.writer();
  let planned: Planned | undefined;
  const from = normalizeFolder(fromInput);
  const to = normalizeFolder(toInput);
  const plan = async (): Promise<WritePlan | undefined> => {
    const source = await findSource(parts, access, fromInput, from);
    assertDestination(source, from, to);
    if (source.kind === 'folder' || !sameFile(source.entry.path, to))
      await assertFree(parts, access, source, from, to);
    const below =
      source.kind === 'file' && options.updateLinks !== false
        ? await pagesBelow(parts, access, source.entry.path, to)
        : [];
    for (const { entry, to: target } of below)
      if (!sameFile(entry.path, target))
        await assertFree(parts, access, { kind: 'file', entry }, from, target);
    const pages = below.map(({ entry, to: target }) => [entry.path, target] as const);
    const moved =
      source.kind === 'file'
        ? new Map([[source.entry.path, to], ...pages])
        : mapFolder(source.entries, from, to);
    for (const [old, target] of moved) {
      assertMayMove(access, old);
      access.assertWritable(target);
      if (isNotePath(target)) assertPageName(target, parts.settings.dialect);
    }
    let etag: string | undefined;
    let bytes: Uint8Array | undefined;
    if (source.kind === 'file') {
      bytes = (await parts.store.read(source.entry.path)).bytes;
      etag = etagOf(bytes);
      if (options.ifMatch !== undefined && options.ifMatch !== etag)
        throw changedMeanwhile(source.entry.path);
    }
    if (source.kind === 'file' && source.entry.path === to) {
      planned = { moved, relink: NO_LINKS, etag };
      return undefined;
    }
    const relink =
      options.updateLinks === false
        ? NO_LINKS
        : await relinking(parts, access, moved, source.kind === 'folder');
    planned = { moved, relink, etag: relink.steps.find((step) => step.path === to)?.afterEtag ?? etag };
    if (options.dryRun) return undefined;
    const path = source.kind === 'file' ? source.entry.path : from;
    return {
      summary: `move ${path} to ${to}`,
      steps: [
        {
          action: source.kind === 'file' ? 'move' : 'move_folder',
          path,
          toPath: to,
          ...(etag && { beforeEtag: etag }),
        },
        ...pages.map(([old, toPath]) => ({ action: 'move' as const, path: old, toPath })),
        ...relink.steps,
      ],
      decisive: true,
      reindex: [...moved.keys(), ...moved.values()],
    };
  };
  const context = { actor, tool: options.tool, ...(options.requestId && { requestId: options.requestId }) };
  const committed = await writer.commit(context, plan);
  if (!planned) throw new LecternError('internal', 'The move was not planned.');
  const { moved, relink, etag } = planned;
  const failed = new Set(committed?.failed.map(({ step }) => step.path) ?? []);
  const late = committed ? await followLate(parts, access, context, relink, failed) : undefined;
  const relinked = [...relink.relinked.filter(({ path }) => !failed.has(path)), ...(late?.relinked ?? [])];
  return {
    from: source(moved, from),
    to,
    moved: [...moved].map(([old, target]) => ({ from: old, to: target })),
    relinked: relinked.filter(({ path }) => access.mayRead(path)),
    links: relinked.reduce((sum, { links }) => sum + links, 0),
    etag,
    writeId: committed?.group.id,
    dryRun: options.dryRun ?? false,
    notices: [
      ...relinkNotices(relink, access),
      ...(late?.notices ?? []),
      ...(committed ? outcomeNotices({ failed: [], indexed: committed.indexed }) : []),
    ],
  };
}

type Source =
  | { readonly kind: 'file'; readonly entry: StoreEntry }
  | { readonly kind: 'folder'; readonly entries: readonly StoreEntry[] };

async function findSource(parts: VaultParts, access: Access, input: string, from: string): Promise<Source> {
  if (from === '') {
    throw new LecternError('invalid_path', 'The vault itself cannot be moved.', {
      next: 'Name a note or a folder in it.',
    });
  }
  const entry = input.endsWith('/') ? undefined : await statFile(parts, access, normalizePath(from));
  if (entry) return { kind: 'file', entry };
  const { entries, problems } = await parts.store.list(from);
  if (!entries.some(({ path }) => access.mayRead(path))) {
    const reader = await parts.reader().catch(() => undefined);
    throw notFound(input, (await reader?.suggest(from, 3, access.filter)) ?? []);
  }
  if (problems.length > 0) {
    throw new LecternError(
      'forbidden',
      `${from} holds files that Lectern cannot see through (${problems[0]?.message}).`,
      {
        next: 'Move this folder in a file manager, or move its notes one by one.',
      },
    );
  }
  return { kind: 'folder', entries };
}

/** A folder of that name is no file. */
async function statFile(parts: VaultParts, access: Access, path: string): Promise<StoreEntry | undefined> {
  try {
    return await statVisible(parts.store, access, path);
  } catch (error) {
    if (isLecternError(error) && error.code === 'invalid_path') return undefined;
    throw error;
  }
}

function assertDestination(source: Source, from: string, to: string): void {
  if (to === '')
    throw new LecternError('invalid_path', 'The destination is empty.', { next: 'Pass the full new path.' });
  if (source.kind === 'folder') {
    if (to === from || to.startsWith(`${from}/`)) {
      throw new LecternError('invalid_input', `${from} cannot be moved into itself.`, {
        next: 'Choose a place outside it.',
      });
    }
    return;
  }
  const kept = extension(source.entry.path);
  if (extension(to) !== kept) {
    throw new LecternError('invalid_path', `A move keeps the file's ending (.${kept}); ${to} has another.`, {
      next: `Use ${to}.${kept}, or ${to}/${source.entry.path.split('/').at(-1)} to move it into a folder.`,
    });
  }
}

async function assertFree(
  parts: VaultParts,
  access: Access,
  source: Source,
  from: string,
  to: string,
): Promise<void> {
  if (source.kind === 'file') {
    const twin = await (await parts.reader()).file(to);
    // Another spelling of the moved file itself is a change of case.
    if (twin?.path === source.entry.path) return;
    return assertNew(parts, access, to);
  }
  assertCreatable(to);
  const { entries } = await parts.store.list(to);
  const isTaken = entries.length > 0 || (await statFile(parts, access, to)) !== undefined;
  if (isTaken || (await hasTwin(parts, source.entries, from, to))) {
    throw new LecternError('exists', `${to} exists already.`, {
      details: { path: to },
      next: 'Move into a folder that does not exist yet, or move the notes one by one.',
    });
  }
  access.assertWritable(`${to}/x.md`);
}

/** Whether a file would come to lie beside one whose path differs in case only, which many drives cannot hold. */
async function hasTwin(
  parts: VaultParts,
  entries: readonly StoreEntry[],
  from: string,
  to: string,
): Promise<boolean> {
  const moved = mapFolder(entries, from, to);
  const reader = await parts.reader();
  for (const target of moved.values()) {
    const twin = await reader.file(target);
    if (twin && !moved.has(twin.path)) return true;
  }
  return false;
}

function mapFolder(entries: readonly StoreEntry[], from: string, to: string): Map<string, string> {
  return new Map(entries.map(({ path }) => [path, `${to}${path.slice(from.length)}`]));
}

function sameFile(path: string, to: string): boolean {
  return path === to || (dirName(path) === dirName(to) && path.toLowerCase() === to.toLowerCase());
}

function assertMayMove(access: Access, path: string): void {
  if (!access.mayRead(path)) {
    throw new LecternError(
      'forbidden',
      'The folder holds files outside your view, so it cannot be moved as a whole.',
      {
        next: 'Move its notes one by one.',
      },
    );
  }
  access.assertWritable(path);
}

async function relinking(
  parts: VaultParts,
  access: Access,
  moved: ReadonlyMap<string, string>,
  folder: boolean,
): Promise<RelinkPlan> {
  const reader = await parts.reader();
  const relink = await withFreshIndex(parts, () =>
    planRelinking({ moved, added: [], folder }, parts.store, reader, parts.settings),
  );
  const arrived = new Set(moved.values());
  for (const { path } of relink.steps) if (!arrived.has(path)) assertMayFollow(access, path);
  return relink;
}

/**
 * What an editor saved a moment ago may hold new links, so the index has to catch up with the disk before a plan
 * counts. Planning goes on meanwhile, and begins again only if there was something to catch up with.
 */
async function withFreshIndex<T>(parts: VaultParts, plan: () => Promise<T>): Promise<T> {
  let isStale = false;
  const stop = parts.feed.subscribe(() => {
    isStale = true;
  });
  try {
    const draft = plan();
    draft.catch(() => undefined);
    await parts.indexer.sync();
    await draft.catch(() => undefined);
    return isStale ? await plan() : await draft;
  } finally {
    stop();
  }
}

/** Links in notes that somebody saved while the move was under way: planned again from what they say now. */
async function followLate(
  parts: VaultParts,
  access: Access,
  context: { actor: Actor; tool: string },
  relink: RelinkPlan,
  failed: ReadonlySet<string>,
): Promise<{ relinked: RelinkPlan['relinked']; notices: readonly string[] }> {
  const writer = await parts.writer();
  const done: RelinkPlan['relinked'][number][] = [];
  const notices: string[] = [];
  let open = [...failed];
  for (let attempt = 0; open.length > 0 && attempt < RELINK_ATTEMPTS; attempt++) {
    let again: RelinkPlan = NO_LINKS;
    const committed = await writer.commit(context, async () => {
      again = await relink.again(open);
      return { summary: `update links in ${open.length} notes`, steps: again.steps, decisive: false };
    });
    open = committed?.failed.map(({ step }) => step.path) ?? [];
    done.push(...again.relinked.filter(({ path }) => !open.includes(path)));
    notices.push(...relinkNotices(again, access));
  }
  for (const path of open)
    if (access.mayRead(path)) notices.push(`${path} was changed meanwhile; its links were not updated.`);
  return { relinked: done, notices };
}

function source(moved: ReadonlyMap<string, string>, from: string): string {
  const [only] = moved.keys();
  return moved.size === 1 && only !== undefined && only.toLowerCase() === from.toLowerCase() ? only : from;
}
