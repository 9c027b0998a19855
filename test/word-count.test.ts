import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

let open: TestVault | undefined;
afterEach(async () => {
  await open?.close();
  if (open) discard(open);
  open = undefined;
});

test('the words of the vault are those of its notes', async () => {
  const files: Record<string, string> = {
    'A.md': '---\ntitle: not counted\n---\nA well-known state-of-the-art snake_case word.\n',
    'T.md': 'สวัสดี ชาวโลก\n',
    'Z.md': '今天天气很好，我们去公园散步。\r\nC++ and C#, 3.14 🚀\r\n',
    'E.md': '',
  };
  open = await openTestVault(files);
  const words: number[] = [];
  for (const path of Object.keys(files)) words.push((await open.session.open(path)).parsed.counts.words);
  expect(words.slice(0, 2)).toEqual([9, 3]);
  const { counts } = await open.session.status();
  expect(counts.words).toBe(words.reduce((sum, count) => sum + count, 0));
  const listed = await open.session.list({}, 'path', { limit: 10 });
  expect(listed.items.map((note) => note.words)).toEqual([words[0], 0, words[1], words[2]]);
});
