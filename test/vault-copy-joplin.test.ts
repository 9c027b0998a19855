import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasJoplin, type Joplin, startJoplin } from './joplin/joplin.ts';
import { filesOfArchive } from './patch/vault-archives.ts';
import { filesBelow } from './support/files-below.ts';
import { copyRun, type JsonReport } from './support/vault-copy.ts';
import { writeTree } from './support/write-tree.ts';

/** Vaults copied into a real Joplin and out of it again. */

const SAMPLE = fileURLToPath(new URL('../sample-vault', import.meta.url));
const archive = (name: string) =>
  fileURLToPath(new URL(`../../shared/vaults/${name}.tar.gz`, import.meta.url));
const SLOW_MS = 300_000;

let joplin: Joplin;
let home: string;
beforeAll(async () => {
  if (hasJoplin) joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-copy-'));
});
afterEach(async () => {
  rmSync(home, { recursive: true, force: true });
  if (!hasJoplin) return;
  for (const { id } of await all<{ id: string }>('folders'))
    await joplin.call('DELETE', `folders/${id}?permanent=1`);
  for (const { id } of await all<{ id: string }>('resources')) await joplin.call('DELETE', `resources/${id}`);
});

const all = <T>(path: string) => joplin.all<T>(path);

function environment(): Record<string, string> {
  const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...inherited } = process.env;
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  return { ...inherited, ...own, LECTERN_JOPLIN_TOKEN: joplin.token } as Record<string, string>;
}

async function copy(...args: string[]): Promise<JsonReport> {
  const { code, out, err } = await copyRun([...args, '--json'], environment()).ended;
  if (out === '') throw new Error(`lectern ended with ${code}: ${err}`);
  expect(out + err).not.toContain(joplin.token);
  return JSON.parse(out) as JsonReport;
}

function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  writeTree(folder, files);
  return folder;
}

function unpacked(name: string): string {
  const files = filesOfArchive(archive(name));
  return write(
    join(home, name),
    Object.fromEntries(files.map(({ path, bytes }) => [path.slice(name.length + 1), bytes])),
  );
}

describe.skipIf(!hasJoplin)('from a folder into Joplin and back', () => {
  // First: Joplin answers before it has deleted what an earlier test made, and loses what came since when it is killed.
  it(
    'names the notes that are still encrypted, and copies the others',
    async () => {
      await joplin.seed({ 'Sea/Secret.md': 'The treasure.\n', 'Sea/Open.md': 'No treasure.\n' });
      await joplin.change(
        `UPDATE notes SET encryption_applied = 1, encryption_cipher_text = 'JED0100', body = '' WHERE title = 'Secret'`,
      );
      const out = join(home, 'out');
      const report = await copy('--from', `joplin:${joplin.url}`, '--to', out);
      expect(report.not_carried).toEqual([
        expect.objectContaining({ path: 'Sea/Secret.md', reason: expect.stringContaining('decrypted') }),
      ]);
      expect([...filesBelow(out).keys()]).toEqual(['Sea/Open.md']);
    },
    SLOW_MS,
  );

  const vaults: readonly (readonly [string, () => string])[] = [
    ['sample-vault', () => SAMPLE],
    // Vaults of other people in the campaigns alone (`npm run test:long`): each takes Joplin many seconds.
    ...(process.env.LECTERN_CAMPAIGN ? ['kepano', 'tasks-docs'] : []).flatMap((name) => {
      if (existsSync(archive(name))) return [[name, () => unpacked(name)] as const];
      console.log(`skipped: the round trip of ${name}, which is not beside this clone`);
      return [];
    }),
  ];
  it.each(vaults)(
    '%s keeps every byte that both can hold, and the report names the rest',
    async (name, make) => {
      const from = make();
      const place = `joplin:${joplin.url}`;
      const there = await copy('--from', from, '--to', place, '--to-folder', name);
      const back = join(home, 'back');
      const needed = ['--from-folder', name, '--front-matter', 'needed'];
      const again = await copy('--from', place, '--to', back, ...needed);
      console.log(
        `${name}: ${there.notes.copied} notes and ${there.attachments.copied} attachments into Joplin in ${there.ms} ms, out of it in ${again.ms} ms`,
      );
      expect(there.not_carried).toEqual([]);
      const [before, after] = [filesBelow(from), filesBelow(back)];
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      const named = new Set(there.differences.map(({ path }) => path));
      const other = [...before].filter(([path, bytes]) => !after.get(path)?.equals(bytes));
      expect(other.map(([path]) => path).filter((path) => !named.has(path))).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'a run that is killed goes on, and makes nothing twice',
    async () => {
      const notes = Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `Folder ${at % 3}/Note ${at}.md`,
          `Note ${at}, see [[Note ${(at * 7) % 40}]].`,
        ]),
      );
      const from = write(join(home, 'from'), notes);
      const given = ['--from', from, '--to', `joplin:${joplin.url}`, '--to-folder', 'Killed'];
      const { child, ended } = copyRun(given, environment());
      while (child.exitCode === null && (await all('notes')).length < 6) await delay(20);
      child.kill('SIGKILL');
      await ended;
      const report = await copy(...given);
      expect(report.notes.copied + report.notes.there).toBe(40);
      const titles = (await all<{ title: string }>('notes')).map(({ title }) => title);
      expect(titles.sort()).toEqual(Array.from({ length: 40 }, (_, at) => `Note ${at}`).sort());
      const bodies = await all<{ id: string; title: string; body: string }>('notes?fields=id,title,body');
      const titleOf = new Map(bodies.map(({ id, title }) => [id, title]));
      for (const { title, body } of bodies) {
        const id = /:\/([0-9a-f]{32})/.exec(body)?.[1] ?? '';
        expect(titleOf.get(id)).toBe(`Note ${(Number(title.slice('Note '.length)) * 7) % 40}`);
      }
    },
    SLOW_MS,
  );

  it(
    'notes of Joplin come out in the form of its own export, with their ids, and go in again as they were',
    async () => {
      await joplin.seed({ 'Box/Plan.md': 'First.', 'Box/pic.png': 'png' });
      const [box] = await all<{ id: string }>('folders');
      const [picture] = await all<{ id: string }>('resources');
      const [plan] = await all<{ id: string }>('notes');
      const made = await joplin.call<{ id: string }>('POST', 'notes', {
        title: 'A/B: 50%?',
        parent_id: box?.id,
        body: `To [the plan](:/${plan?.id}#x) ![p](:/${picture?.id}) <img src=":/${picture?.id}">`,
        is_todo: 1,
        todo_due: 1_700_000_000_000,
        author: 'Ada',
        source_url: 'https://example.org/a',
        tags: 'sea,two words',
        user_created_time: 1_000_000_000_000,
        user_updated_time: 1_100_000_000_000,
      });
      await joplin.call('POST', 'notes', { title: 'Plan', parent_id: box?.id, body: 'Second.' });
      const out = join(home, 'out');
      const place = `joplin:${joplin.url}`;
      const report = await copy('--from', place, '--to', out);
      expect(report.not_carried).toEqual([]);
      const files = filesBelow(out);
      expect([...files.keys()].sort()).toEqual([
        'Box/A_B_ 50%_.md',
        'Box/Plan-1.md',
        'Box/Plan.md',
        'Box/pic.png',
      ]);
      expect(files.get('Box/A_B_ 50%_.md')?.toString()).toBe(
        `---\ntitle: 'A/B: 50%?'\nid: ${made.id}\nupdated: 2004-11-09 11:33:20Z\ncreated: 2001-09-09 01:46:40Z\nsource: https://example.org/a\nauthor: Ada\ncompleted?: no\ndue: 2023-11-14 22:13:20Z\ntags:\n  - sea\n  - two words\n---\n\nTo [the plan](Plan.md#x) ![p](pic.png) <img src="pic.png">`,
      );
      for (const { id } of await all<{ id: string }>('folders'))
        await joplin.call('DELETE', `folders/${id}?permanent=1`);
      const into = await copy('--from', out, '--to', place, '--to-folder', '.');
      expect(into.not_carried).toEqual([]);
      // Of the two of one title one keeps the number that its file has; the path of the third is another in each home.
      expect(new Set(into.differences.map(({ what }) => what))).toEqual(new Set(['name']));
      type Row = { title: string; body: string; author: string; todo_due: number; user_updated_time: number };
      const fields = 'title,body,author,todo_due,user_updated_time';
      const row = await joplin.call<Row>('GET', `notes/${made.id}?fields=${fields}`);
      expect(row).toMatchObject({
        title: 'A/B: 50%?',
        author: 'Ada',
        todo_due: 1_700_000_000_000,
        user_updated_time: 1_100_000_000_000,
      });
      expect(row.body).toContain(`[the plan](:/${plan?.id}#x)`);
    },
    SLOW_MS,
  );
});
