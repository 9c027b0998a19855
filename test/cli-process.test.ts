import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** The built binary as a script uses it: pipes, exit codes, and nothing on standard output but the answer. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));

let folder: string;
let vault: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-cli-process-'));
  vault = join(folder, 'vault');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** @param input on standard input; undefined = it stays open and nothing comes */
function lectern(
  args: readonly string[],
  input: string | undefined,
  environment: Record<string, string> = {},
): Promise<Ended> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    LECTERN_STATE: join(folder, 'state'),
    ...environment,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [LECTERN, ...args], { env }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ out, err, code });
    });
    if (input !== undefined) child.stdin?.end(input);
  });
}

it('works on a vault from first word to last', async () => {
  const none = await lectern(['note', 'list'], '');
  expect([none.code, JSON.parse(none.err).code]).toEqual([2, 'invalid_input']);
  const missing = await lectern(['note', 'list', '--vault', vault], '');
  expect([missing.code, missing.out, JSON.parse(missing.err).code]).toEqual([1, '', 'unavailable']);

  mkdirSync(vault);
  writeFileSync(join(vault, 'A.md'), '# Harbour\n\nSee [[B]]. #work\n');
  const environment = { LECTERN_VAULT: vault };
  const written = await lectern(['note', 'update', 'B.md'], 'The crane.\r\n', environment);
  expect(written).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(join(vault, 'B.md'), 'utf8')).toBe('The crane.\r\n');

  const [links, found, text, index, absent] = await Promise.all([
    lectern(['link', 'backlinks', 'B.md'], '', environment),
    lectern(['search', 'crane'], '', environment),
    lectern(['note', 'get', 'B.md', '--text'], '', environment),
    lectern(['vault', 'index', '--rebuild', '--text'], '', environment),
    lectern(['note', 'exists', 'C.md'], '', environment),
  ]);
  expect(JSON.parse(links.out)).toMatchObject({ links: [{ source: 'A.md', line: 3 }] });
  expect(JSON.parse(found.out)).toMatchObject({ results: [{ path: 'B.md' }] });
  expect(text.out).toBe('The crane.\r\n');
  expect(index.out).toMatch(/^Indexed 2 files \(2 notes\) in \d+ ms\.\n$/);
  expect(absent.code).toBe(3);
  for (const { err } of [links, found, text, index, absent]) expect(err).toBe('');

  const refused = await lectern(['note', 'delete', 'B.md'], '', environment);
  expect(refused.code).toBe(4);
  const readOnly = await lectern(['note', 'delete', 'B.md', '--yes'], '', {
    ...environment,
    LECTERN_READ_ONLY: '1',
  });
  expect([readOnly.code, JSON.parse(readOnly.err).code]).toEqual([4, 'read_only']);
  const deleted = await lectern(['note', 'delete', 'B.md', '--yes'], '', environment);
  const { write_id: id } = JSON.parse(deleted.out) as { write_id: number };
  const undone = await lectern(['note', 'undo', String(id)], '', environment);
  expect(undone.code).toBe(0);
  expect(readFileSync(join(vault, 'B.md'), 'utf8')).toBe('The crane.\r\n');
}, 120_000);

it('takes a text that was piped, and none that nobody gave', async () => {
  const folder = join(vault, '..', 'bodies');
  mkdirSync(folder);
  const note = join(folder, 'A.md');
  writeFileSync(note, 'Ten years.\n');
  const environment = { LECTERN_VAULT: folder };
  for (const args of [
    ['note', 'update', 'A.md', '--frontmatter', '{"status":"new"}'],
    ['note', 'update', 'A.md'],
    ['note', 'update', 'A.md', '--dry-run'],
    ['note', 'patch', 'A.md'],
  ]) {
    const { out, err, code } = await lectern(args, '', environment);
    expect([args, out, code]).toEqual([args, '', 2]);
    expect(JSON.parse(err)).toMatchObject({ next: expect.stringContaining('--file -') });
    expect(readFileSync(note, 'utf8')).toBe('Ten years.\n');
  }
  // Standard input that stays open is not waited for, and what is in it belongs to somebody else.
  const loop = await lectern(['note', 'update', 'A.md', '--frontmatter', '{"a":1}'], undefined, environment);
  expect(loop.code).toBe(2);
  expect(readFileSync(note, 'utf8')).toBe('Ten years.\n');

  const asked = await lectern(['note', 'update', 'A.md', '--if-match', 'no', '--file', '-'], '', environment);
  expect(asked.code).toBe(5);
  const ops = '[{"op":"append_body","markdown":"More."}]';
  expect((await lectern(['note', 'patch', 'A.md'], ops, environment)).code).toBe(0);
  expect(readFileSync(note, 'utf8')).toBe('Ten years.\nMore.\n');
  const both = ['note', 'update', 'A.md', '--frontmatter', '{"a":1}', '--file', '-'];
  expect((await lectern(both, 'New.\n', environment)).code).toBe(0);
  expect(readFileSync(note, 'utf8')).toBe('---\na: 1\n---\nNew.\n');
  expect((await lectern(['note', 'update', 'A.md', '--file', '-'], '', environment)).code).toBe(0);
  expect(readFileSync(note, 'utf8')).toBe('---\na: 1\n---\n');
}, 120_000);

it('ends tokens with the exit codes of its page', async () => {
  const folder = join(vault, '..', 'tokens');
  mkdirSync(folder);
  const environment = { LECTERN_VAULT: folder };
  const codes: [readonly string[], number][] = [
    [['create', '--name', 'one'], 0],
    [['create', '--name', 'one'], 5],
    [['create', '--name', ''], 2],
    [['create', '--name', 'two', '--expires', 'soon'], 2],
    [['create'], 2],
    [['revoke', 'one'], 0],
    [['revoke', 'one'], 3],
    [['revoke', 'none'], 3],
    [['revoke', 'My', 'laptop'], 2],
  ];
  for (const [args, code] of codes) {
    const ended = await lectern(['token', ...args], '', environment);
    expect([args, ended.code, ended.err]).toEqual([args, code, expect.stringMatching(/^lectern: |^$/)]);
  }
  const missing = await lectern(['token', 'list'], '', { LECTERN_VAULT: join(folder, 'no') });
  expect(missing.code).toBe(1);
}, 120_000);

it('answers wrong usage on standard error alone', async () => {
  const results = await Promise.all([
    lectern(['note', 'lsit'], ''),
    lectern(['note', 'get'], ''),
    lectern(['search', 'x', '--mode', 'psychic'], ''),
    lectern(['completion', 'csh'], ''),
  ]);
  for (const { out, err, code } of results) {
    expect([out, code]).toEqual(['', 2]);
    expect(err).toMatch(/^lectern: /);
  }
});
