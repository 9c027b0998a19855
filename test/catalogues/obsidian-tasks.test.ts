import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ObsidianWire, openObsidianWire } from './obsidian-wire.ts';

let wire: ObsidianWire;

beforeAll(async () => {
  wire = await openObsidianWire({
    'Home.md': '# Home\n\n- [ ] call #phone 📅 2026-03-04\n- [x] write\n\n```\n- [ ] code\n```\n',
    'Projects/Boat.md':
      '---\ntags: [phone]\n---\n- [ ] no heading\n## Hull\n1. [/] paint [due:: 2026-03-01]\n\t- [-] scrape\n\n%%\n- [ ] hidden\n%%\n',
    'Twin.md': '- [ ] a\n',
    'Other/Twin.md': '- [ ] b\n',
  });
});
afterAll(() => wire.close());

const call = (given: object = {}) => wire.call('obsidian_list_tasks', given);
const texts = async (given: object) =>
  ((await call(given)) as { tasks: { text: string }[] }).tasks.map(({ text }) => text);

it('answers where each task is, what it says and by when', async () => {
  expect(await call({ file: 'Home' })).toEqual({
    tasks: [
      {
        path: 'Home.md',
        line: 3,
        status: ' ',
        text: 'call #phone 📅 2026-03-04',
        heading: 'Home',
        due: '2026-03-04',
        tags: ['phone'],
      },
      { path: 'Home.md', line: 4, status: 'x', text: 'write', heading: 'Home' },
    ],
    total: 2,
  });
  expect(await call({ path: 'Projects/Boat.md', verbose: true })).toEqual({
    files: [
      {
        path: 'Projects/Boat.md',
        tasks: [
          { line: 4, status: ' ', text: 'no heading' },
          { line: 6, status: '/', text: 'paint [due:: 2026-03-01]', heading: 'Hull', due: '2026-03-01' },
          { line: 7, status: '-', text: 'scrape', heading: 'Hull' },
        ],
      },
    ],
    total: 3,
  });
});

it('keeps to what is asked for', async () => {
  expect(await texts({ todo: true, folder: 'Projects' })).toEqual(['no heading', 'paint [due:: 2026-03-01]']);
  expect(await texts({ done: true })).toEqual(['write']);
  expect(await texts({ status: '/' })).toEqual(['paint [due:: 2026-03-01]']);
  expect(await texts({ status: '-' })).toEqual(['scrape']);
  expect(await texts({ tag: '#Phone' })).toEqual(['call #phone 📅 2026-03-04']);
  expect(await texts({ due_to: '2026-03-03' })).toEqual(['paint [due:: 2026-03-01]']);
  expect(await texts({ dueFrom: '2026-03-02' })).toEqual(['call #phone 📅 2026-03-04']);
  expect(await texts({ daily: true })).toEqual([]);
  expect(await call({ total: true })).toEqual({ total: 7 });
  expect(await call({ path: 'Twin.md', format: 'tsv' })).toEqual({
    output: 'path\tline\tstatus\ttext\nTwin.md\t1\t \ta',
    total: 1,
  });
});

it('fails in the words of the contract', async () => {
  expect(await call({ name: 'Twin' })).toMatchObject({
    code: -32_004,
    data: { errorCode: 'AMBIGUOUS_NAME' },
  });
  expect(await call({ name: 'None' })).toMatchObject({ code: -32_003 });
  for (const wrong of [
    { todo: true, done: true },
    { todo: true, status: 'x' },
    { folder: 'Projects', file: 'Home' },
    { daily: true, folder: 'Projects' },
    { due_to: 'tomorrow' },
    { due_from: '2026-03-04', due_to: '2026-03-03' },
    { status: 1 },
    { format: 'xml' },
  ])
    expect(await call(wrong), JSON.stringify(wrong)).toMatchObject({
      code: -32_602,
      data: { errorCode: 'INVALID_PARAMS' },
    });
});
