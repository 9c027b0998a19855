import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { viewOf } from '../../notes/note-view.ts';
import { parseNote } from '../../notes/parse.ts';
import { type NotePort, type NoteReply, type NoteRequest, noteWorker, serveNotes } from './note-worker.ts';
import { packView, unpackView } from './pack-view.ts';

const dialect = 'obsidian' as const;

/** A thread in this one: requests and answers are copied as they would be, and arrive later. */
function thread(): NotePort & { die(): void; requests: number } {
  let reply: (reply: NoteReply) => void = () => {};
  let exit: (error: Error) => void = () => {};
  let serve: (request: NoteRequest) => void = () => {};
  let dead = false;
  serveNotes({
    onRequest: (listener) => {
      serve = listener;
    },
    post: (answer) => reply(structuredClone(answer)),
  });
  const port = {
    requests: 0,
    post: (request: NoteRequest) => {
      port.requests++;
      setImmediate(() => {
        if (!dead) serve(structuredClone(request));
      });
    },
    onReply: (listener: (reply: NoteReply) => void) => {
      reply = listener;
    },
    onExit: (listener: (error: Error) => void) => {
      exit = listener;
    },
    terminate: async () => {},
    die: () => {
      dead = true;
      exit(new Error('out of memory'));
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

test('views and patches come back from the thread, errors as they were thrown', async () => {
  const worker = noteWorker(thread);
  expect(await worker.view(readme, dialect)).toEqual(plain(viewOf(parseNote(readme, { dialect }))));
  const rename = { op: 'rename_heading', from: 'Old', to: 'New' } as const;
  expect(await worker.patch('n.md', '# Old\n[[n#Old]]\n', [rename], dialect)).toEqual({
    text: '# New\n[[n#New]]\n',
    renamedHeadings: [expect.objectContaining({ to: 'New' })],
  });
  const missing = worker.patch('n.md', '# A\n', [rename], dialect);
  await expect(missing).rejects.toMatchObject({ name: 'LecternError', code: 'not_found' });
  await worker.close();
});

test('when the thread dies the work is done here, and the next note gets a new thread', async () => {
  const threads: ReturnType<typeof thread>[] = [];
  const worker = noteWorker(() => {
    const started = thread();
    threads.push(started);
    return started;
  });
  const view = worker.view('# A\n', dialect);
  threads[0]?.die();
  expect((await view).headings[0]?.text).toBe('A');
  expect((await worker.view('# B\n', dialect)).headings[0]?.text).toBe('B');
  expect(threads.map(({ requests }) => requests)).toEqual([1, 1]);
  await worker.close();
});
