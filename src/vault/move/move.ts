import { LecternError } from '../../errors.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { assertPageName } from '../../notes/page-name.ts';
import {
  baseName,
  extension,
  isNotePath,
  normalizeFolder,
  normalizePath,
  pathKey,
} from '../../notes/path.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { Placement } from '../../stores/store.ts';
import { type Access, notFound } from '../access.ts';
import { NOTHING_LEFT, unreadableNotes } from '../left-alone.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { assertMayFollow, contextOf, outcomeNotices } from '../write/edit.ts';
import { changedMeanwhile } from '../write/steps.ts';
import { newPlace, placeFor, placeNotices } from '../write/target.ts';
import type { MoveOptions, MoveResult } from '../write/types.ts';
import {
  type Committed,
  notUpdated,
  type WriteContext,
  type WriteOutcome,
  type WritePlan,
} from '../write/write-plan.ts';
import type { FilesChange } from './files-change.ts';
import {
  assertFolderFree,
  childFolder,
  childrenOf,
  folderAt,
  folderMove,
  type SourceFolder,
  seenIn,
  statFile,
} from './folder.ts';
import { pagesBelow } from './namespace.ts';
import { planRelinking, type RelinkPlan, relinkNotices } from './plan.ts';
import { type Titles, titlesOf } from './retitle.ts';
import { spellingsOf } from './stale-mentions.ts';

/** How often links are planned again in notes that changed meanwhile. */
const RELINK_ATTEMPTS = 3;

const NO_LINKS: RelinkPlan = {
  steps: [],
  relinked: [],
  links: 0,
  lost: [],
  leftAlone: NOTHING_LEFT,
  again: async () => NO_LINKS,
};

/**
 * Moves or renames a file or a folder (a Logseq page with the pages below it) and rewrites every link that
 * would break or change its target, as one journaled group.
 * @throws LecternError `not_found`, `exists`, `invalid_path`, `invalid_input`, `conflict`, `forbidden`,
 *   `read_only`
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
  /** From the plan that was carried out, to plan links again. */
  let relinked = NO_LINKS;
  const asked = normalizeFolder(toInput);
  const plan = async (): Promise<WritePlan<MoveResult>> => {
    const source = await findSource(parts, access, fromInput);
    const from = source.path;
    const { path: to, madeFolder } = await destination(parts, access, source, asked);
    const children =
      source.kind === 'file' && options.withChildren ? await childrenOf(parts, access, from) : undefined;
    const folder = source.kind === 'folder' ? source : children;
    const folderTo = source.kind === 'folder' ? to : childFolder(to);
    if (children) await destination(parts, access, children, folderTo);
    const below =
      source.kind === 'file' && options.updateLinks !== false
        ? await pagesBelow(parts, access, from, to)
        : [];
    for (const { path, to: target } of below) await assertFree(parts, access, path, target);
    const pages = below.map(({ path, to: target }) => [path, target] as const);
    const along = folder && from !== to ? await folderMove(parts, access, folder, folderTo) : undefined;
    const moved = new Map([
      ...(source.kind === 'file' ? [[from, to] as const, ...pages] : []),
      ...(along?.moved ?? []),
    ]);
    for (const [old, target] of moved) {
      if (!access.mayRead(old)) continue;
      access.assertWritable(old);
      access.assertWritable(target);
      if (isNotePath(target)) assertPageName(target, parts.settings.dialect);
    }
    let etag: string | undefined;
    if (source.kind === 'file') {
      const file = await parts.store.read(from);
      etag = etagOfFile(file);
      if (options.ifMatch !== undefined && options.ifMatch !== etag) throw changedMeanwhile(from);
    }
    const seen = new Map([...moved].filter(([old]) => access.mayRead(old)));
    const answer = (
      { relink, titles }: { relink: RelinkPlan; titles: readonly string[] },
      { failed, ...outcome }: WriteOutcome,
    ): MoveResult => {
      const stale = new Set(failed.map(({ step }) => step.path));
      const followed = relink.relinked.filter(({ path }) => !stale.has(path));
      return {
        from,
        to,
        moved: [...seen].map(([old, target]) => ({ from: old, to: target })),
        relinked: followed,
        links: countLinks(followed),
        etag: relink.steps.find((step) => step.path === to)?.afterEtag ?? etag,
        leftAlone: relink.leftAlone,
        writeId: outcome.writeId,
        dryRun: options.dryRun ?? false,
        notices: [
          ...placeNotices(asked, to),
          ...titles,
          ...relinkNotices(relink),
          ...outcomeNotices({ failed, indexed: outcome.indexed }),
        ],
      };
    };
    const summary = `move ${from} to ${to}`;
    if (from === to) {
      const nothing = { relink: NO_LINKS, titles: [] };
      return { summary, steps: [], decisive: true, answer: (outcome) => answer(nothing, outcome) };
    }
    const titles = await titlesOf(seen, parts.store, parts.settings.dialect);
    const relink =
      options.updateLinks === false
        ? NO_LINKS
        : await relinking(parts, access, {
            moved,
            added: [],
            folder: folder && { from: folder.path, to: folderTo },
            retitled: titles.followed,
          });
    relinked = relink;
    const step: PlannedStep = {
      action: 'move',
      path: from,
      toPath: to,
      ...(madeFolder !== undefined && { madeFolder }),
      ...(etag && { beforeEtag: etag }),
    };
    const steps: readonly PlannedStep[] = [
      ...(source.kind === 'file' ? [step] : []),
      ...(along?.steps ?? []),
      ...pages.map(([old, toPath]) => ({ action: 'move' as const, path: old, toPath })),
      ...relink.steps,
    ];
    return {
      summary,
      steps: options.dryRun ? [] : steps,
      decisive: true,
      reindex: [...moved.keys(), ...moved.values()],
      turned: relink.turned,
      answer: (outcome) => answer({ relink, titles: titleNotices(titles, options) }, outcome),
    };
  };
  const context = contextOf(parts, access, actor, options);
  const { answer, committed } = await writer.commit(context, plan);
  if (committed === undefined || committed.failed.length + committed.unseen.length === 0) return answer;
  const late = await followLate(parts, context, relinked, committed);
  const followed = [...answer.relinked, ...late.relinked];
  const open = new Set(committed.failed.map(({ step }) => notUpdated(step.path)));
  return {
    ...answer,
    relinked: followed,
    links: countLinks(followed),
    notices: [...answer.notices.filter((notice) => !open.has(notice)), ...late.notices],
  };
}

function countLinks(relinked: RelinkPlan['relinked']): number {
  return relinked.reduce((sum, { links }) => sum + links, 0);
}

/** The page keeps its name in `title::`, whatever its file is called now. */
function titleNotices({ followed, kept }: Titles, { updateLinks }: MoveOptions): string[] {
  const left = [...followed.values()].map(({ from }) => from);
  const titles = [...kept.map(({ title }) => title), ...(updateLinks === false ? left : [])];
  return titles.map((title) => `title:: keeps the page's name, ${title}; set it to rename the page`);
}

/** The source, by its path in the store's spelling. */
type Source = { readonly kind: 'file'; readonly path: string } | SourceFolder;

async function findSource(parts: VaultParts, access: Access, input: string): Promise<Source> {
  const from = normalizeFolder(input);
  if (from === '') {
    throw new LecternError('invalid_path', 'The vault itself cannot be moved.', {
      next: 'Name a note or a folder in it.',
    });
  }
  const entry = input.endsWith('/') ? undefined : await statFile(parts, access, normalizePath(from));
  if (entry) return { kind: 'file', path: entry.path };
  const folder = await folderAt(parts, access, from);
  if (folder) return folder;
  const reader = await parts.reader().catch(() => undefined);
  throw notFound(input, (await reader?.suggest(from, 3, access.filter)) ?? []);
}

/** The target path, checked to be free and writable. */
async function destination(
  parts: VaultParts,
  access: Access,
  source: Source,
  asked: string,
): Promise<Placement> {
  if (asked === '')
    throw new LecternError('invalid_path', 'The destination is empty.', { next: 'Pass the full new path.' });
  // Checked before any message reveals what exists.
  if (source.kind === 'file') access.assertWritable(asked);
  else
    for (const path of seenIn(source, access)) access.assertWritable(asked + path.slice(source.path.length));
  const place = await placeFor(parts, access, asked);
  const { path: to } = place;
  if (source.kind === 'folder') {
    if (to === source.path || to.startsWith(`${source.path}/`)) {
      throw new LecternError('invalid_input', `${source.path} cannot be moved into itself.`, {
        next: 'Choose a place outside it.',
      });
    }
    await assertFolderFree(parts, access, source.path, to);
    return place;
  }
  const kept = extension(source.path);
  if (extension(to) !== kept) {
    throw new LecternError('invalid_path', `A move keeps the file's ending (.${kept}); ${to} has another.`, {
      next: `Use ${to}.${kept}, or ${to}/${baseName(source.path)} to move it into a folder.`,
    });
  }
  await assertFree(parts, access, source.path, to);
  return place;
}

/** Another spelling of the file itself is free: this is a change of case. */
async function assertFree(parts: VaultParts, access: Access, from: string, to: string): Promise<void> {
  const own =
    pathKey(from) === pathKey(to) &&
    (await parts.store.stat(to).then((there) => there?.path !== to || to === from));
  if (!own) await newPlace(parts, access, to);
}

async function relinking(parts: VaultParts, access: Access, files: FilesChange): Promise<RelinkPlan> {
  const reader = await parts.reader();
  const relink = await withFreshIndex(parts, () => planRelinking(files, parts, reader, access));
  const arrived = new Set(files.moved.values());
  assertMayFollow(
    access,
    relink.steps.filter(({ path }) => !arrived.has(path)),
  );
  const spellings = spellingsOf({ ...files, folder: files.folder, settings: parts.settings });
  const unreadable = await unreadableNotes(parts, access, spellings);
  return { ...relink, leftAlone: { ...relink.leftAlone, unreadable } };
}

/**
 * An editor's latest save may contain new links, so the index must catch up with the disk before a plan is
 * used. Planning runs meanwhile and is repeated only when the index changed.
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

/**
 * Links in notes that were saved during the move are planned again from their current text. Notes the caller
 * does not see are updated in a write of their own, which the answer does not mention.
 */
async function followLate(
  parts: VaultParts,
  context: WriteContext,
  relink: RelinkPlan,
  { failed, unseen }: Committed,
): Promise<{ relinked: RelinkPlan['relinked']; notices: readonly string[] }> {
  const pathsOf = (steps: Committed['failed']) => steps.map(({ step }) => step.path);
  const seen = await updateLinks(parts, context, relink, pathsOf(failed));
  await updateLinks(parts, context, relink, pathsOf(unseen));
  return {
    relinked: seen.relinked,
    notices: [...seen.notices, ...seen.open.map(notUpdated)],
  };
}

/** @returns the outcome, and the notes that were changed in each round */
async function updateLinks(
  parts: VaultParts,
  context: WriteContext,
  relink: RelinkPlan,
  paths: readonly string[],
) {
  const writer = await parts.writer();
  const relinked: RelinkPlan['relinked'][number][] = [];
  const notices: string[] = [];
  let open = paths;
  for (let attempt = 0; open.length > 0 && attempt < RELINK_ATTEMPTS; attempt++) {
    let again: RelinkPlan = NO_LINKS;
    const { committed } = await writer.commit({ ...context, isLate: true }, async () => {
      again = await relink.again(open);
      // A write of its own, on which no other depends.
      const steps = again.steps.map(({ follows: _, ...step }) => step);
      const summary = `update links in ${open.length} notes`;
      return { summary, steps, decisive: false, answer: () => undefined };
    });
    open = [...(committed?.failed ?? []), ...(committed?.unseen ?? [])].map(({ step }) => step.path);
    relinked.push(...again.relinked.filter(({ path }) => !open.includes(path)));
    notices.push(...relinkNotices(again));
  }
  return { relinked, notices, open };
}
