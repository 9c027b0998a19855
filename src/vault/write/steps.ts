import { isLecternError, LecternError } from '../../errors.ts';
import type { JournalStep } from '../../journal/journal.ts';
import { etagOf } from '../../notes/etag.ts';
import type { Store } from '../../stores/store.ts';

/**
 * Carries one journaled step out.
 * @returns where the file went, for a step that trashes it
 * @throws LecternError `conflict` when the store holds a version the step was not planned from
 */
export async function applyStep(
  store: Store,
  step: JournalStep,
  after: Uint8Array | undefined,
  before: Uint8Array | undefined,
): Promise<string | undefined> {
  switch (step.action) {
    case 'create':
      await store.create(step.path, required(after, step));
      return undefined;
    case 'replace':
      await store.replace(step.path, required(after, step), { expectedEtag: step.beforeEtag ?? '' });
      return undefined;
    case 'move':
      await store.move(step.path, step.toPath ?? step.path);
      return undefined;
    case 'move_folder':
      await store.moveFolder(step.path, step.toPath ?? step.path);
      return undefined;
    case 'trash': {
      await assertUnchanged(store, step);
      return (await store.trash(step.path)).trashPath;
    }
    case 'restore':
      // A trash that was emptied meanwhile does not matter while the journal has the bytes.
      try {
        await store.restore(step.trashPath ?? '', step.path);
      } catch (error) {
        if (before === undefined || !isLecternError(error) || error.code !== 'not_found') throw error;
        await store.create(step.path, before);
      }
      return undefined;
  }
}

/** Whether an interrupted step reached the store. */
export async function stepState(store: Store, step: JournalStep): Promise<'applied' | 'open'> {
  if (step.action === 'move_folder') {
    const there = await store.list(step.toPath ?? '');
    const left = await store.list(step.path);
    return there.entries.length > 0 && left.entries.length === 0 ? 'applied' : 'open';
  }
  const now = await currentEtag(store, step.path);
  switch (step.action) {
    case 'create':
    case 'replace':
      return now !== undefined && now === step.afterEtag ? 'applied' : 'open';
    case 'move': {
      const there = await store.stat(step.toPath ?? '');
      return now === undefined && there !== undefined ? 'applied' : 'open';
    }
    case 'trash':
      return now === undefined ? 'applied' : 'open';
    case 'restore':
      return now !== undefined ? 'applied' : 'open';
  }
}

/** Etag of the stored bytes, undefined when there is no such file. */
export async function currentEtag(store: Store, path: string): Promise<string | undefined> {
  const entry = await store.stat(path);
  if (!entry) return undefined;
  return etagOf((await store.read(entry.path)).bytes);
}

async function assertUnchanged(store: Store, step: JournalStep): Promise<void> {
  if (step.beforeEtag === undefined) return;
  if ((await currentEtag(store, step.path)) === step.beforeEtag) return;
  throw changedMeanwhile(step.path);
}

/** The words for every write that met another version. Never carries the current etag: the caller has to read again. */
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
