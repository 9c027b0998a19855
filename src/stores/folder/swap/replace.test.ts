import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { etagOf } from '../../../notes/etag.ts';
import { encode, everyName, scratchVault } from '../scratch-vault.ts';

const etag = (text: string) => etagOf(encode(text));

test.skipIf(process.platform === 'win32')(
  'a replace keeps the mode past the umask, and the owner',
  async () => {
    const { root, store } = await scratchVault({ 'n.md': '1' });
    await fs.chmod(join(root, 'n.md'), 0o664);
    if (process.getuid?.() === 0) await fs.chown(join(root, 'n.md'), 12345, 54321);
    const before = await fs.stat(join(root, 'n.md'));
    await store.replace('n.md', encode('2'), { expectedEtag: etag('1') });
    const after = await fs.stat(join(root, 'n.md'));
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
  },
);

test('an editor that had the old version open and writes to it afterwards gets a conflict copy', async () => {
  const { root, store } = await scratchVault({ 'n.md': 'first' });
  // Once through the store, so that the second replace finds a quiet file; once for a busy one.
  for (const [before, after] of [
    ['first', 'second'],
    ['second', 'third'],
  ] as const) {
    const editor = await fs.open(join(root, 'n.md'), 'r+');
    await store.replace('n.md', encode(after), { expectedEtag: etag(before) });
    await editor.truncate();
    await editor.write(`the editor's text over ${before}`, 0);
    await editor.close();
  }
  await store.close();
  const names = await everyName(root);
  const texts = await Promise.all(names.map((name) => fs.readFile(join(root, name), 'utf8')));
  expect(await fs.readFile(join(root, 'n.md'), 'utf8')).toBe('third');
  expect(texts.sort()).toEqual(
    ["the editor's text over first", "the editor's text over second", 'third'].sort(),
  );
});

test('an unchanged old version leaves nothing behind', async () => {
  const { root, store } = await scratchVault({ 'n.md': '0' });
  for (let i = 1; i <= 50; i++) {
    await store.replace('n.md', encode(`${i}`), { expectedEtag: etag(`${i - 1}`) });
  }
  await store.close();
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await fs.readFile(join(root, 'n.md'), 'utf8')).toBe('50');
});
