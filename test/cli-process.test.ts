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

function lectern(
  args: readonly string[],
  input = '',
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
    child.stdin?.end(input);
  });
}

it('works on a vault from first word to last', async () => {
  const none = await lectern(['note', 'list']);
  expect([none.code, JSON.parse(none.err).code]).toEqual([2, 'invalid_input']);
  const missing = await lectern(['note', 'list', '--vault', vault]);
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

it('answers wrong usage on standard error alone', async () => {
  const results = await Promise.all([
    lectern(['note', 'lsit']),
    lectern(['note', 'get']),
    lectern(['search', 'x', '--mode', 'psychic']),
    lectern(['completion', 'csh']),
  ]);
  for (const { out, err, code } of results) {
    expect([out, code]).toEqual(['', 2]);
    expect(err).toMatch(/^lectern: /);
  }
});
