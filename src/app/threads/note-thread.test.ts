import { afterEach, describe, expect, it } from 'vitest';
import type { PatchOp } from '../../notes/patch/op.ts';
import { encodeText } from '../../notes/text.ts';
import { type NoteWorker, noteWorker } from '../../vault/large/note-worker.ts';
import type { DraftTask } from '../../vault/write/draft.ts';
import { startNoteThread } from './note-thread.ts';

/** Runs real threads: an error that ends one must not end the process, and the next call must be answered. */

let worker: NoteWorker | undefined;
afterEach(() => worker?.close());

function patching(before: string, ...ops: PatchOp[]): DraftTask {
  return { path: 'n.md', before: encodeText(before), change: { kind: 'patch', ops }, dialect: 'obsidian' };
}

const append: PatchOp = { op: 'append_body', markdown: 'x' };
/** Work that takes long without exceeding the memory limit. */
const endless = patching('a [[b]] c\n\n'.repeat(20_000), ...Array.from({ length: 200 }, () => append));
const small = patching('# A\n', append);

describe('the thread of large notes', () => {
  it('is ended by its time, and the next note is served', async () => {
    worker = noteWorker(() => startNoteThread(), { limitMs: 1000 });
    await expect(worker.draft(endless)).rejects.toMatchObject({
      code: 'timeout',
      message: 'The note was not done within 1 s.',
      next: expect.stringContaining('Nothing was changed'),
    });
    expect((await worker.draft(small)).added).toBe(1);
  });

  it('is ended by a call that nobody waits for any more; what waits behind it is served', async () => {
    worker = noteWorker(() => startNoteThread());
    const controller = new AbortController();
    const given = worker.draft(endless, controller.signal);
    const behind = worker.draft(small);
    const never = worker.draft(small, AbortSignal.abort(new Error('gone before')));
    controller.abort(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
    await expect(never).rejects.toThrow('gone before');
    expect((await behind).added).toBe(1);
  });

  it('is ended by memory it may not have, and the process is not', async () => {
    worker = noteWorker(() => startNoteThread(48));
    const lists = patching('- e\n'.repeat(400_000), append);
    await expect(worker.draft(lists)).rejects.toMatchObject({
      code: 'too_large',
      details: { limit_megabytes: 512 },
    });
    expect((await worker.draft(small)).added).toBe(1);
  });
});
