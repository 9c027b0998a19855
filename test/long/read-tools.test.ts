import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesOfArchive } from '../patch/vault-archives.ts';
import {
  CLIENTS,
  type Comparison,
  compareBacklinks,
  compareLinks,
  compareNote,
  compareOrphans,
  compareSearch,
  compareTags,
  compareUnresolved,
  countPlainly,
  Reading,
  textsBelow,
} from '../support/read-tools.ts';
import { writeTree } from '../support/write-tree.ts';

/**
 * Every read tool on real vaults, through the real clients of each era, against a count by simple means.
 * Regular expressions do not read Markdown as well as a parser does (links in nested lists with code, a tag
 * written with a space), so a small share may differ; each difference is printed.
 */

const SHARED = process.env.LECTERN_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));
/** Every how manyth note is compared link by link, and read in every way. */
const VAULTS: readonly [string, number][] = [
  ['oldwinter', 8],
  ['powershell-docs', 40],
  ['tldr', 300],
];

describe.each(VAULTS)('%s', (name, step) => {
  const archive = join(SHARED, 'vaults', `${name}.tar.gz`);
  const skip = !existsSync(archive);
  if (skip) console.log(`skipped: there is no ${archive}`);
  let folder: string;
  let vault: string;
  let texts: ReadonlyMap<string, string>;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), `lectern-${name}-`));
    vault = join(folder, name);
    if (skip) return;
    writeTree(folder, Object.fromEntries(filesOfArchive(archive).map(({ path, bytes }) => [path, bytes])));
    texts = textsBelow(vault);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.skipIf(skip).each(CLIENTS)('%s', async (...client) => {
    const plain = countPlainly(texts);
    const reading = await Reading.open(client, vault, join(folder, 'state'));
    const few = ({ looked, differences }: Comparison, share: number, what: string) => {
      for (const difference of differences.slice(0, 20)) console.log(`${name}: ${what}: ${difference}`);
      console.log(`${name}: ${what}: ${differences.length} of ${looked} differ`);
      expect(differences.length, what).toBeLessThanOrEqual(Math.ceil(looked * share));
    };
    try {
      const status = await reading.ask('vault_status');
      expect(status).toMatchObject({
        notes: plain.notes.length,
        files: plain.files.length,
        problems_total: 0,
      });
      const listed = await reading.all('note_list', 'notes', { sort: '-mtime' });
      expect(listed.map((note) => note.path).sort()).toEqual([...plain.notes].sort());
      for (let at = 0; at < plain.notes.length; at += step) {
        const path = plain.notes[at] ?? '';
        expect(await compareNote(reading, path, texts.get(path) ?? '')).toEqual([]);
      }
      few(await compareLinks(reading, plain, step), 0.03, 'links');
      few(await compareBacklinks(reading, plain, 20), 0.25, 'backlinks');
      few(await compareTags(reading, plain), 0.05, 'tags');
      few(await compareUnresolved(reading, plain), 0.03, 'unresolved');
      few(await compareOrphans(reading, plain), 0.01, 'orphans');
      few(await compareSearch(reading, texts, 60), 0.02, 'words');
    } finally {
      await reading.close();
    }
  });
});
