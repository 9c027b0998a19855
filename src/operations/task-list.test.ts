import { afterEach, describe, expect, it } from 'vitest';
import { openTestVault, type TestVault, type TestVaultOptions } from '../../test/support/test-vault.ts';
import type { NoteIndexReader } from '../index/note-index.ts';
import { parseInput } from './call/input.ts';
import { runOperation } from './call/run.ts';
import { taskList } from './task-list.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) await vault.close();
});

async function vaultOf(files: Record<string, string>, options: TestVaultOptions = {}) {
  const vault = await openTestVault(files, options);
  open.push(vault);
  const list = async (input: object = {}, signal = new AbortController().signal) =>
    (await runOperation(taskList, vault.session, parseInput(taskList, input), {
      signal,
      progress: () => {},
    })) as {
      tasks: {
        path: string;
        line: number;
        status: string;
        state: string;
        text: string;
        due?: string;
        heading?: string;
        tags: string[];
      }[];
      total: number;
      next_cursor: string | null;
      notice?: string;
    };
  return { vault, list };
}

describe('each program has tasks of its own', () => {
  it('SilverBullet: states in words, its dates and attributes', async () => {
    const { list } = await vaultOf({
      'index.md': 'Hello\n',
      'CONFIG.md': '```space-lua\nconfig.set("x", 1)\n```\n',
      'Todo.md':
        '* [TODO] ship 📅 2026-03-04\n* [in progress] test [deadline: "2026-03-05"]\n* [DONE] plan\n* [x] eat\n',
    });
    const { tasks } = await list();
    expect(tasks.map(({ status, state, due }) => [status, state, due])).toEqual([
      ['TODO', 'open', '2026-03-04'],
      ['in progress', 'open', '2026-03-05'],
      ['DONE', 'done', undefined],
      ['x', 'done', undefined],
    ]);
  });

  it('Logseq: words before the text, deadlines below it', async () => {
    const { list } = await vaultOf({
      'logseq/config.edn': '{}',
      'pages/Boat.md':
        '- TODO paint #hull\n  DEADLINE: <2026-03-04 Wed>\n- DONE scrape\n- LATER sail\n- just text\n',
    });
    expect(
      (await list()).tasks.map(({ line, status, state, due, tags }) => [line, status, state, due, tags]),
    ).toEqual([
      [1, 'TODO', 'open', '2026-03-04', ['hull']],
      [3, 'DONE', 'done', undefined, []],
      [4, 'LATER', 'open', undefined, []],
    ]);
    expect((await list({ status: 'LATER' })).total).toBe(1);
  });
});

it('answers of a note that is long as it does of the same one that is short', async () => {
  const part =
    '# Part #\n\n- [ ] one #a/b 📅 2026-03-04\n  1. [x] two\n> - [/] three\n\n```\n- [ ] code\n```\n\ntext\r\n- [-] four\r\n';
  const times = 1000;
  const { list } = await vaultOf({ 'Short.md': part, 'Long.md': part.repeat(times) });
  const short = (await list({ path_glob: 'Short.md' })).tasks;
  expect(short.map(({ text }) => text)).toEqual(['one #a/b 📅 2026-03-04', 'two', 'three', 'four']);
  const lines = part.split('\n').length - 1;
  const { tasks, total } = await list({ path_glob: 'Long.md', limit: 12 });
  expect(total).toBe(short.length * times);
  expect(tasks).toEqual(
    Array.from({ length: 12 }, (_, at) => {
      const task = short[at % 4];
      return { ...task, path: 'Long.md', line: (task?.line ?? 0) + lines * Math.floor(at / 4) };
    }),
  );
});

it('sorts by day, those without last, and pages through everything once', async () => {
  const { list } = await vaultOf({
    'A.md': '- [ ] a\n- [ ] b 📅 2026-03-09\n- [ ] c 📅 2026-03-01\n',
    'B.md': '- [ ] d 📅 2026-03-01\n- [x] e\n',
  });
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await list({ sort: 'due', limit: 2, ...(cursor && { cursor }) });
    expect(page.total).toBe(5);
    seen.push(...page.tasks.map(({ text }) => text.slice(0, 1)));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toEqual(['c', 'd', 'b', 'a', 'e']);
  for (const wrong of ['h:1', '5', 't-1', ''])
    await expect(list({ cursor: wrong })).rejects.toThrow('cursor');
});

it('finds a tag however it is spelled, with those nested in it', async () => {
  const { list } = await vaultOf({
    'A.md': '- [ ] a #Caf\u00e9/in\n- [ ] b #cafe\u0301\n- [ ] c #caf\u00e9s\n- [ ] d\n',
  });
  for (const tag of ['caf\u00e9', '#cafe\u0301', 'CAF\u00c9/'])
    expect((await list({ tag })).tasks.map(({ text }) => text.slice(0, 1))).toEqual(['a', 'b']);
});

it('cuts what a task says and says so, and stops when the call ends', async () => {
  const { list } = await vaultOf({ 'A.md': `- [ ] ${'long '.repeat(1000)}\n` });
  const [task] = (await list()).tasks;
  expect(task?.text).toHaveLength(500);
  expect(task?.text).toMatch(/…$/);
  await expect(list({}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});

it('knows a task that was just ticked off', async () => {
  const { vault, list } = await vaultOf({ 'A.md': '- [ ] call\n' });
  expect((await list({ status: 'open' })).total).toBe(1);
  await vault.session.write('A.md', { body: '- [x] call\n' }, { tool: 'note_write', dryRun: false });
  expect((await list({ status: 'open' })).total).toBe(0);
  expect((await list({ status: 'done' })).total).toBe(1);
});

it('looks through the notes once for all pages, and again when one has changed', async () => {
  let scans = 0;
  const wrapReader = (reader: NoteIndexReader): NoteIndexReader =>
    new Proxy(reader, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (key === 'scan') scans += 1;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const { vault, list } = await vaultOf({ 'A.md': '- [ ] a\n'.repeat(9) }, { wrapReader });
  for (const cursor of [undefined, 't2', 't4']) expect((await list({ limit: 2, cursor })).total).toBe(9);
  expect(scans).toBe(1);
  await vault.session.write('A.md', { body: '- [ ] b\n' }, { tool: 'note_write', dryRun: false });
  expect((await list({ limit: 2, cursor: 't2' })).total).toBe(1);
  expect(scans).toBe(2);
  expect((await list({ limit: 2, status: 'done' })).total).toBe(0);
  expect(scans).toBe(3);
});
