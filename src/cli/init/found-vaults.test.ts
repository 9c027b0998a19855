import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placesOf } from '../clients/places.ts';
import { findVaults, logseqGraphs, obsidianVaults } from './found-vaults.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-found-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
};
const vault = (name: string) => {
  mkdirSync(join(home, name), { recursive: true });
  return join(home, name);
};
const places = (platform: NodeJS.Platform = 'linux') => placesOf({ HOME: home }, platform);

it("finds Obsidian's vaults, the open ones first, and none that is gone", () => {
  const [old, recent, open, packed] = ['Old', 'Recent', 'Open', 'Packed'].map(vault);
  const known = {
    a: { path: old, ts: 1 },
    b: { path: recent, ts: 3 },
    c: { path: open, ts: 2, open: true },
    d: { path: join(home, 'Gone'), ts: 9 },
    e: 'nonsense',
  };
  write('.config/obsidian/obsidian.json', JSON.stringify({ vaults: known }));
  write(
    '.var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json',
    JSON.stringify({ vaults: { x: { path: packed } } }),
  );
  expect(obsidianVaults(places())).toEqual([
    { vault: open, about: 'Obsidian, open' },
    { vault: recent, about: 'Obsidian' },
    { vault: old, about: 'Obsidian' },
    { vault: packed, about: 'Obsidian' },
  ]);
  write(
    'Library/Application Support/obsidian/obsidian.json',
    JSON.stringify({ vaults: { a: { path: old } } }),
  );
  expect(obsidianVaults(places('darwin'))).toEqual([{ vault: old, about: 'Obsidian' }]);
  write('.config/obsidian/obsidian.json', '{ broken');
  expect(obsidianVaults(places()).map((found) => found.vault)).toEqual([packed]);
});

it("finds Logseq's graphs of files by the names of its own", () => {
  const graph = vault('Graphs/My graph');
  write(`.logseq/graphs/logseq_local_${graph.replaceAll('/', '++')}.transit`, '');
  write(`.logseq/graphs/logseq_local_${home.replaceAll('/', '++')}++Gone.transit`, '');
  write('.logseq/graphs/logseq_db_notes.transit', '');
  expect(logseqGraphs(places())).toEqual([{ vault: graph, about: 'Logseq' }]);
});

it('finds Joplin by its profile and SilverBullet by its answer, and names each place once', async () => {
  const server = createServer((request, response) => {
    const isPing = request.url === '/.ping';
    response.writeHead(isPing ? 200 : 404, isPing ? { 'x-space-path': '/space' } : {}).end('OK');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const both = vault('Both');
    write('.config/obsidian/obsidian.json', JSON.stringify({ vaults: { a: { path: both } } }));
    write(`.logseq/graphs/logseq_local_${both.replaceAll('/', '++')}.transit`, '');
    mkdirSync(join(home, '.config', 'joplin-desktop'));
    const found = await findVaults(places(), address);
    expect(found.filter(({ vault: place }) => place === both)).toHaveLength(1);
    expect(found.find(({ vault: place }) => place === 'joplin:')?.about).toContain('Joplin');
    expect(found.at(-1)).toEqual({ vault: `silverbullet:${address}`, about: 'SilverBullet, running' });
  } finally {
    server.close();
  }
});
