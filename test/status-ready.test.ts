import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawServer } from './support/raw-server.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-ready-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('vault_status says ready of nothing but the whole index, however often it is asked meanwhile', async () => {
  const vault = mkdtempSync(join(home, 'vault-'));
  const notes = 1500;
  for (let at = 0; at < notes; at++) writeFileSync(join(vault, `n${at}.md`), `[[n${at + 1}]] words\n`);
  writeFileSync(join(vault, 'latin.md'), Uint8Array.of(0x63, 0x61, 0x66, 0xe9));
  const server = new RawServer(['--vault', vault, '--state', join(home, 'state')]);
  const ready: unknown[] = [];
  const ask = async () => {
    while (ready.length === 0) {
      const { data } = await server.call('vault_status');
      if (data?.index === 'ready') ready.push([data.notes, data.links, data.problems_total]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  for (const one of ready) expect(one).toEqual([notes + 1, notes, 1]);
  expect(await server.end()).toBe(0);
});
