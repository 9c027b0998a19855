import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { viewOf } from '../../notes/note-view.ts';
import { parseNote } from '../../notes/parse.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import { decodeText, encodeText } from '../../notes/text.ts';
import type { CallMessage, CallReply } from '../../thread-calls.ts';
import { type DraftTask, draftNote } from '../write/draft.ts';
import {
  canvasView,
  draftOf,
  type NotePort,
  noteWorker,
  serveNotes,
  tagRenamed,
  viewNote,
} from './note-worker.ts';
import { packView, unpackView } from './pack-view.ts';

const dialect = 'obsidian' as const;

/** A thread in this one: requests and answers are copied as they would be, and arrive later. */
function thread(): NotePort & { die(error?: Error): void; requests: number } {
  let reply: (reply: CallReply) => void = () => {};
  let exit: (error: Error) => void = () => {};
  let serve: (request: CallMessage) => void = () => {};
  let dead = false;
  serveNotes({
    onRequest: (listener) => {
      serve = listener;
    },
    post: (answer) => reply(structuredClone(answer)),
  });
  const port = {
    requests: 0,
    post: (request: CallMessage) => {
      port.requests++;
      setImmediate(() => {
        if (!dead) serve(structuredClone(request));
      });
    },
    onReply: (listener: (reply: CallReply) => void) => {
      reply = listener;
    },
    onExit: (listener: (error: Error) => void) => {
      exit = listener;
    },
    terminate: async () => {
      dead = true;
    },
    die: (error = new Error('exit code 1')) => {
      dead = true;
      exit(error);
    },
  };
  return port;
}

const plain = (view: ReturnType<typeof viewOf>) => ({ ...view, tags: view.tags, counts: view.counts });
const readme = readFileSync(fileURLToPath(new URL('../../../README.md', import.meta.url)), 'utf8');

test('a view is the same after it crossed', () => {
  const piece = fc.constantFrom(
    '# A',
    '## B ^x1',
    'text ^abc',
    '^own',
    'Title\n===',
    '#tag #Tag',
    '- [x] t',
    '[[L]]',
    '\r\n',
    '',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const view = viewOf(parseNote(`---\na: 1\n---\n${pieces.join('\n')}`, { dialect }));
      expect(unpackView(structuredClone(packView(view)), view.text)).toEqual(plain(view));
    }),
  );
});

test('a note parsed in the thread is the note parsed here, however long its lists are', async () => {
  const worker = noteWorker(thread);
  const rows = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => `## H${at} [[L${at}]] #t${at} ^id${at}\n- [ ] \`c\` ${at}\n`,
    ).join('');
  for (const count of [0, 1, 999, 1000, 1001, 2500]) {
    const text = `---\ntags: [a]\nup: "[[b]]"\n---\n${rows(count)}`;
    for (const each of ['obsidian', 'logseq', 'silverbullet'] as const)
      expect(await worker.parse(text, each)).toEqual(parseNote(text, { dialect: each }));
  }
  await worker.close();
});

test('a tag is renamed in the thread as it is here', async () => {
  const worker = noteWorker(thread);
  const task = { text: '---\ntags: [a, b]\n---\n#a #a/b `#a`\n', dialect, from: 'a', to: 'c' };
  expect(await worker.renameTag(task)).toEqual(await tagRenamed(task, undefined));
  await expect(worker.renameTag({ ...task, to: 'c d' })).rejects.toMatchObject({ code: 'invalid_input' });
  await worker.close();
});

const rename = { op: 'rename_heading', from: 'Old', to: 'New' } as const;

function patching(before: string, ops: readonly PatchOp[]): DraftTask {
  return { path: 'n.md', before: encodeText(before), change: { kind: 'patch', ops }, dialect };
}

test('views and drafts come back from the thread, errors as they were thrown', async () => {
  const worker = noteWorker(thread);
  expect(await worker.view(readme, dialect)).toEqual(plain(viewOf(parseNote(readme, { dialect }))));
  const task = patching('# Old\n[[n#Old]]\n', [rename]);
  const draft = await worker.draft(task);
  expect(draft).toEqual(draftNote(task));
  expect(decodeText(draft.bytes)).toEqual({ ok: true, text: '# New\n[[n#New]]\n' });
  const missing = worker.draft(patching('# A\n', [rename]));
  await expect(missing).rejects.toMatchObject({
    name: 'LecternError',
    code: 'not_found',
    details: { op: 'rename_heading' },
    next: expect.any(String),
  });
  await worker.close();
});

test('a thread that dies takes the call with it, and the next note gets a new one', async () => {
  const threads: ReturnType<typeof thread>[] = [];
  const worker = noteWorker(() => {
    const started = thread();
    threads.push(started);
    return started;
  });
  const view = worker.view('# A\n', dialect);
  const waiting = worker.view('# B\n', dialect);
  await expect.poll(() => threads.length).toBe(1);
  threads[0]?.die(Object.assign(new Error('full'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
  await expect(view).rejects.toMatchObject({ code: 'too_large', next: expect.stringContaining('less') });
  expect((await waiting).headings[0]?.text).toBe('B');
  expect(threads.map(({ requests }) => requests)).toEqual([1, 1]);
  await worker.close();
});

test('what can be done quickly is done here, and a patch that grows goes to the thread', async () => {
  let started = 0;
  const worker = noteWorker(() => {
    started++;
    return thread();
  });
  const double = { op: 'replace_text', old: 'e', new: 'ee', all: true } as const;
  const times = (count: number) =>
    patching(
      'eeee\n',
      Array.from({ length: count }, () => double),
    );
  expect((await draftOf(times(8), worker)).bytes.length).toBe(4 * 2 ** 8 + 1);
  expect(started).toBe(0);
  expect((await draftOf(times(15), worker)).bytes.length).toBe(4 * 2 ** 15 + 1);
  expect(started).toBe(1);
  await expect(draftOf(times(24), worker)).rejects.toMatchObject({ code: 'too_large' });
  await worker.close();
});

test.each([
  ['long text', 'word '.repeat(30_000)],
  ['much front matter', `---\n${'key: value\n'.repeat(700)}---\n`],
])('%s is parsed in the thread', async (_, text) => {
  const seen: string[] = [];
  await viewNote(text, dialect, {
    view: async (given) => {
      seen.push(given);
      return viewOf(parseNote('', { dialect }));
    },
  });
  expect(seen).toEqual([text]);
});

test('canvases are read and changed in the thread as they are here, and fail there as they do here', async () => {
  const worker = noteWorker(thread);
  const text =
    '{"nodes":[{"id":"a","type":"text","text":"ü\\n[[b]]","x":0,"y":0,"width":9,"height":9}],"edges":[]}';
  const bytes = encodeText(text);
  const query = { order: 'reading', maxText: 9, offset: 0, limit: 9, maxChars: 999 } as const;
  const task = { path: 'c.canvas', bytes, query };
  expect(await worker.canvas(task)).toEqual(await canvasView(task, undefined));
  const place = { path: 'c.canvas', bytes, line: 2 };
  expect(await worker.canvasPlace(place)).toEqual({ list: 'nodes', id: 'a', line: 1 });
  const ops = [{ op: 'add_node', type: 'text', text: 'new', near: 'a' }];
  const draft = { path: 'c.canvas', before: bytes, change: { kind: 'canvas_patch', ops }, dialect } as const;
  expect(await worker.draft(draft)).toEqual(draftNote(draft));
  const broken = { ...task, bytes: encodeText('{"nodes":[\n{') };
  await expect(worker.canvas(broken)).rejects.toMatchObject({ code: 'invalid_input', details: { line: 2 } });
  await expect(worker.canvas({ ...task, bytes: new Uint8Array([0xff]) })).rejects.toMatchObject({
    message: 'c.canvas is not UTF-8 text (byte 0).',
  });
  await worker.close();
});

test('a large canvas, or many ops, go to the thread', async () => {
  const asked: string[] = [];
  const worker = {
    canvas: async () => asked.push('canvas') as never,
    draft: async () => asked.push('draft') as never,
  };
  const query = { order: 'z', maxText: 9, offset: 0, limit: 9, maxChars: 999 } as const;
  const large = encodeText(`{"nodes":[],"pad":"${'x'.repeat(100_000)}"}`);
  await canvasView({ path: 'c.canvas', bytes: large, query }, worker);
  const add = { op: 'add_node', type: 'text', text: 'x' };
  const change = (ops: number) =>
    ({ kind: 'canvas_patch', ops: Array.from({ length: ops }, () => add) }) as const;
  const before = encodeText(`{"nodes":[],"pad":"${'x'.repeat(60_000)}"}`);
  await draftOf({ path: 'c.canvas', before, change: change(1), dialect }, worker);
  expect(asked).toEqual(['canvas']);
  await draftOf({ path: 'c.canvas', before, change: change(100), dialect }, worker);
  await draftOf({ path: 'c.canvas', before: large, change: change(1), dialect }, worker);
  expect(asked).toEqual(['canvas', 'draft', 'draft']);
});
