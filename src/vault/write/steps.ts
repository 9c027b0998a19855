import { isLecternError, LecternError } from '../../errors.ts';
import type { JournalStep } from '../../journal/journal.ts';
import { dirName } from '../../notes/path.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import { factsFromBytes } from '../../stores/facts.ts';
import type { ReplaceBatch, Store, StoredFile } from '../../stores/store.ts';

/**
 * Carries out one journaled step.
 * @throws LecternError `conflict` when the store holds a version the step was not planned from
 */
export async function applyStep(
  store: Store,
  step: JournalStep,
  after: Uint8Array | undefined,
  before: Uint8Array | undefined,
  options: StepOptions = {},
): Promise<StepEffect> {
  const effect = await carryOut(store, step, after, before, options);
  // The file is in its place; a leftover folder is no reason for an error.
  if (step.prunedFolder !== undefined)
    await store.pruneFolders(dirName(step.path), step.prunedFolder).catch(() => undefined);
  return effect;
}

async function carryOut(
  store: Store,
  step: JournalStep,
  after: Uint8Array | undefined,
  before: Uint8Array | undefined,
  options: StepOptions,
): Promise<StepEffect> {
  switch (step.action) {
    case 'create': {
      const bytes = required(after, step);
      return { written: { entry: await store.create(step.path, bytes), bytes } };
    }
    case 'replace': {
      const bytes = required(after, step);
      const { batch = store } = options;
      const entry = await batch.replace(step.path, bytes, { expectedEtag: step.beforeEtag ?? '' });
      return { written: { entry, bytes } };
    }
    case 'facts':
      await setFacts(store, step, required(after, step));
      return {};
    case 'move':
      await store.move(step.path, step.toPath ?? step.path, { interrupted: options.interrupted ?? false });
      return {};
    case 'move_folder':
      await store.moveFolder(step.path, step.toPath ?? step.path);
      return {};
    case 'make_folder':
      await makeFolder(store, step);
      return {};
    case 'remove_folder':
      await store.pruneFolders(step.path, step.path);
      return {};
    case 'trash': {
      await assertUnchanged(store, step);
      return await store.trash(step.path);
    }
    case 'trash_on_desktop': {
      await assertUnchanged(store, step);
      return await store.trash(step.path, 'desktop');
    }
    case 'remove':
      await store.remove(step.path, { expectedEtag: step.beforeEtag ?? '' });
      return {};
    case 'restore':
      await restore(store, step, before);
      return {};
  }
}

export interface StepOptions {
  /** A crash may have interrupted the step. */
  readonly interrupted?: boolean;
  /** Replaces together with others: done only when the batch has settled. */
  readonly batch?: ReplaceBatch;
}

export interface StepEffect {
  /** The current file, for a step that writes bytes. */
  readonly written?: StoredFile;
  /** The file's name in the trash, for a step that trashes it. */
  readonly trashPath?: string;
}

async function makeFolder(store: Store, { path }: JournalStep): Promise<void> {
  if (store.makeFolder === undefined)
    throw new LecternError(
      'unavailable',
      `This vault has no empty folders: ${path} is there with its first note.`,
    );
  await store.makeFolder(path);
}

async function setFacts(store: Store, step: JournalStep, changes: Uint8Array): Promise<void> {
  if (store.setFacts === undefined)
    throw new LecternError('unavailable', `This vault keeps no facts of ${step.path} beside its text.`);
  await store.setFacts(step.path, factsFromBytes(changes), { expectedEtag: step.beforeEtag ?? '' });
}

/**
 * Restores the file from the trash. When the trash was emptied meanwhile or holds another version under this
 * name, the bytes come from the journal; also when a crash left the name in the trash unknown.
 */
async function restore(store: Store, step: JournalStep, before: Uint8Array | undefined): Promise<void> {
  if (step.trashPath === undefined) return void (await store.create(step.path, required(before, step)));
  try {
    await store.restore(step.trashPath, step.path);
  } catch (error) {
    if (before === undefined || !isLecternError(error) || error.code !== 'not_found') throw error;
    await store.create(step.path, before);
    return;
  }
  if (before === undefined || step.afterEtag === undefined) return;
  if ((await currentEtag(store, step.path)) === step.afterEtag) return;
  await store.trash(step.path);
  await store.create(step.path, before);
}

/**
 * The state of an interrupted step: `half` = partly applied, `changed` = the file matches neither the state
 * before the step nor the one after it, so that the outcome is unknown.
 */
export type StepState = 'applied' | 'half' | 'open' | 'changed';

/** Finds out whether an interrupted step was applied. */
export async function stepState(store: Store, step: JournalStep): Promise<StepState> {
  if (step.action === 'move_folder') {
    const there = await store.list(step.toPath ?? '');
    const left = await store.list(step.path);
    return there.entries.length > 0 && left.entries.length === 0 ? 'applied' : 'open';
  }
  if (step.action === 'make_folder' || step.action === 'remove_folder') {
    const isThere = (await store.folders?.())?.some(({ path }) => path === step.path) ?? false;
    return isThere === (step.action === 'make_folder') ? 'applied' : 'open';
  }
  const now = await currentEtag(store, step.path);
  switch (step.action) {
    case 'create':
    case 'replace':
    case 'facts':
      if (now !== undefined && now === step.afterEtag) return 'applied';
      return now === step.beforeEtag ? 'open' : 'changed';
    case 'move': {
      const there = await store.stat(step.toPath ?? '');
      if (there === undefined) return 'open';
      const here = await store.stat(step.path);
      if (here === undefined || here.path === there.path)
        return here?.path === step.path ? 'open' : 'applied';
      // A move creates the new name before it removes the old one: both may exist.
      return here.version === there.version ? 'half' : 'open';
    }
    case 'trash':
    case 'trash_on_desktop':
    case 'remove':
      if (now === undefined) return 'applied';
      return step.beforeEtag === undefined || now === step.beforeEtag ? 'open' : 'changed';
    case 'restore':
      return now !== undefined && (step.afterEtag === undefined || now === step.afterEtag)
        ? 'applied'
        : 'open';
  }
}

/** Etag of the stored bytes, undefined when there is no such file. */
async function currentEtag(store: Store, path: string): Promise<string | undefined> {
  const entry = await store.stat(path);
  if (!entry) return undefined;
  return etagOfFile(await store.read(entry.path));
}

async function assertUnchanged(store: Store, step: JournalStep): Promise<void> {
  if (step.beforeEtag === undefined) return;
  if ((await currentEtag(store, step.path)) === step.beforeEtag) return;
  throw changedMeanwhile(step.path);
}

/**
 * The message for every write that met another version. Never contains the current etag: the caller must read
 * again.
 */
export function changedMeanwhile(path: string): LecternError {
  return new LecternError('conflict', `${path} was changed since it was read.`, {
    details: { path },
    next: 'Read the note again and repeat the change on what it says now.',
  });
}

function required(bytes: Uint8Array | undefined, step: JournalStep): Uint8Array {
  if (bytes) return bytes;
  throw new LecternError('internal', `The journal has no bytes for ${step.action} ${step.path}.`);
}
