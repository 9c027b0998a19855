import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-line.ts';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import { progressLine, progressText } from './progress-line.ts';
import { addOperationCommands } from './register.ts';
import { table } from './table.ts';

let open: TestVault;
let scratch: string;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'lectern-cli-'));
  open = await openTestVault({
    'A.md': '# Harbour\n\nThe crane. #work\n',
    'B.md': 'Escape \u001b[31mred\u001b[0m\u0007 and \u009b1m\r\n',
    'Gone.md': 'soon\n',
  });
});

afterAll(async () => {
  await open.close();
  discard(open);
  rmSync(scratch, { recursive: true, force: true });
});

const run = (...argv: string[]) => runCommand(argv, open.session);
const terminal = (argv: readonly string[], environment = {}) =>
  runCommand(argv, open.session, { isTTY: true, columns: 60, environment });

describe('output', () => {
  it('is JSON when piped and a table on a terminal', async () => {
    expect(JSON.parse((await run('note', 'list')).out)).toMatchObject({ total: 3 });
    const { out } = await terminal(['note', 'list', '--limit', '1']);
    expect(out).toMatch(
      /^\u001b\[36mpath {2,}title {2,}modified {2,}tags\u001b\[39m\nA\.md {2,}Harbour {2,}\d{4}-\d\d-\d\d \d\d:\d\d {2,}work\n/,
    );
    expect(out).toMatch(/\u001b\[1m3 notes \(showing 1; next: cursor \S+\)\.\u001b\[22m\n$/);
    expect(JSON.parse((await terminal(['note', 'list', '--json'])).out)).toMatchObject({ total: 3 });
  });

  it.each([
    [{ NO_COLOR: '1' }, []],
    [{ TERM: 'dumb' }, []],
    [{}, ['--no-color']],
  ])('has no colours with %j %j', async (environment, flags) => {
    expect((await terminal(['tag', 'list', ...flags], environment)).out).not.toContain('\u001b');
  });

  it('prints the text of a note as it is, and nothing a terminal would obey', async () => {
    expect((await run('note', 'get', 'B.md', '--text')).out).toBe(
      'Escape \u001b[31mred\u001b[0m\u0007 and \u009b1m\r\n',
    );
    const { out } = await terminal(['note', 'get', 'B.md']);
    expect(out).not.toMatch(/[\u0007\u001b\u009b]/);
    expect(out).toContain('red');
  });

  it.each([0, undefined])('goes by 80 columns on a terminal of %s', async (columns) => {
    const { out } = await runCommand(['note', 'list'], open.session, { isTTY: true, columns });
    const { out: usual } = await runCommand(['note', 'list'], open.session, { isTTY: true, columns: 80 });
    expect(out).toBe(usual);
    expect(out).not.toMatch(/[\u0007\u009b]/);
  });

  it('cuts the widest columns to the terminal', async () => {
    const rows = [
      { path: 'a/very/long/path/of/a/note.md', line: 1, text: 'short' },
      { path: '日本語のノート.md', line: 12, text: '' },
    ];
    expect(table(rows, { colour: false, width: undefined }).split('\n')).toEqual([
      'path                           line  text',
      'a/very/long/path/of/a/note.md  1     short',
      '日本語のノート.md              12',
    ]);
    const cut = table(rows, { colour: false, width: 30 }).split('\n');
    expect(cut[1]).toBe('a/very/long/path…  1     short'.padEnd(0));
    expect(cut.every((line) => line.length <= 30)).toBe(true);
  });
});

describe('arguments', () => {
  it('come from options, files and standard forms', async () => {
    writeFileSync(join(scratch, 'body.md'), '# From a file\n');
    writeFileSync(join(scratch, 'ops.json'), '{"ops":[{"op":"append_body","markdown":"more"}]}');
    writeFileSync(join(scratch, 'latin1.md'), Buffer.from([0xe9]));
    await run(
      'note',
      'update',
      'F.md',
      '--file',
      join(scratch, 'body.md'),
      '--frontmatter',
      '{"status":"new"}',
    );
    expect(open.file('F.md')).toBe('---\nstatus: new\n---\n# From a file\n');
    await run('note', 'patch', 'F.md', '--file', join(scratch, 'ops.json'));
    expect(open.file('F.md')).toContain('more');
    await run('note', 'patch', 'F.md', '--ops', '[{"op":"add_tag","tag":"x"}]');
    expect(open.file('F.md')).toContain('x');
    for (const [file, words] of [
      ['latin1.md', 'not UTF-8'],
      ['absent.md', 'ENOENT'],
    ]) {
      const { code, err } = await run('note', 'update', 'G.md', '--file', join(scratch, file ?? ''));
      expect([code, err]).toEqual([2, expect.stringContaining(words ?? '')]);
    }
    expect(open.file('G.md')).toBeUndefined();
    writeFileSync(join(scratch, 'board.json'), '{"nodes":[{"id":"a","type":"text","text":"Crane"}]}');
    await run('canvas', 'create', 'M.canvas', '--file', join(scratch, 'board.json'));
    await run('canvas', 'patch', 'M.canvas', '--ops', '[{"op":"update_node","id":"a","color":"1"}]');
    expect(open.file('M.canvas')).toContain('"height":60,"color":"1"}');
    // Both lists, which no table can show.
    expect((await terminal(['canvas', 'get', 'M'])).out).toMatch(
      /^a text 260x60 at 0,0 "Crane" \(color 1; line 3\)$/m,
    );
    const both = await run('note', 'update', 'G.md', '--body', 'x', '--file', join(scratch, 'body.md'));
    expect(both.code).toBe(2);
  });

  it('keep the switches that are on by default', async () => {
    const moved = await run('note', 'move', 'A.md', 'C.md', '--no-update-links', '--dry-run');
    expect(JSON.parse(moved.out)).toMatchObject({ dry_run: true });
  });

  it('find the vault or the server', async () => {
    const { flags } = await run('tag', 'list', '--vault', '/v', '--remote', 'http://x', '--token', 't');
    expect(flags).toMatchObject({ vault: '/v', remote: 'http://x', token: 't' });
  });

  it('do not clash with the flags of every command', () => {
    const program = new Command('lectern');
    expect(() => addOperationCommands(program)).not.toThrow();
    for (const noun of program.commands) {
      for (const verb of noun.commands) {
        const longs = verb.options.map(({ long }) => long);
        expect([verb.name(), longs]).toEqual([verb.name(), [...new Set(longs)]]);
      }
    }
  });
});

describe('exit codes', () => {
  it.each([
    [0, ['note', 'exists', 'A.md']],
    [3, ['note', 'exists', 'No.md']],
    [3, ['note', 'get', 'No.md']],
    [2, ['note', 'get', '../x']],
    [2, ['note', 'list', '--limit', '0']],
    [2, ['note', 'list', '--sort', 'up']],
    [2, ['note', 'lsit']],
    [2, ['note', 'get']],
    [4, ['note', 'delete', 'Gone.md']],
    [0, ['note', 'delete', 'Gone.md', '--dry-run']],
    [5, ['note', 'update', 'A.md', '--body', 'x', '--if-not-exists']],
    [5, ['note', 'update', 'A.md', '--body', 'x', '--if-match', '0123456789abcdef']],
    [0, ['search', 'crane']],
    [0, ['vault', 'index']],
    [0, ['schema', 'note_read']],
    [2, ['schema', 'note_raed']],
    [0, ['--help']],
  ])('%i for %j', async (code, argv) => {
    expect([(await run(...argv)).code, argv]).toEqual([code, argv]);
  });

  it('deletes only when told so twice', async () => {
    expect(open.file('Gone.md')).toBe('soon\n');
    expect((await run('note', 'delete', 'Gone.md', '--yes')).code).toBe(0);
    expect(open.file('Gone.md')).toBeUndefined();
  });

  it('says what is wrong and what to do, in words or JSON', async () => {
    const piped = await run('note', 'get', 'No.md');
    expect(JSON.parse(piped.err)).toMatchObject({ code: 'not_found', next: expect.any(String) });
    expect((await terminal(['note', 'get', 'No.md'])).err).toMatch(
      /^lectern: There is no note at No\.md\. \S[\s\S]*lectern note list\.\n$/,
    );
    expect((await run('note', 'lsit')).err).toContain('Did you mean list?');
  });

  it('names commands and options, never tools and fields', async () => {
    const said = async (...argv: string[]) => {
      const { err } = await run(...argv);
      const { message, next } = JSON.parse(err) as { message: string; next: string };
      expect(`${message} ${next}`).not.toMatch(/(?<![./])\b[a-z]+_[a-z]+/);
      return `${message} ${next}`;
    };
    expect(await said('note', 'undo', '999')).toContain('lectern note history lists');
    expect(await said('note', 'list', '--limit', '0')).toMatch(
      /^Wrong arguments for lectern note list: --limit: /,
    );
    expect(await said('note', 'update', 'A.md', '--if-not-exists', '--body', 'x')).toContain(
      'leave out --if-not-exists',
    );
    expect(await said('note', 'get', 'A.md', '--heading', 'x', '--block-id', 'y')).toContain(
      'lectern note get',
    );
    expect(await said('tag', 'rename', 'no', 'nope')).toContain('lectern tag list');
    expect(await said('trash', 'restore', 'no.md')).toContain('lectern trash list');
  });
});

describe('schema', () => {
  it('prints the contract of every operation', async () => {
    const { operations } = JSON.parse((await run('schema')).out) as {
      operations: { name: string; input: object }[];
    };
    expect(operations.map(({ name }) => name)).toEqual(OPERATIONS.map(({ name }) => name));
    expect(operations[0]).toMatchObject({ rest: { method: 'GET' }, input: { type: 'object' }, output: {} });
  });
});

describe('completion', () => {
  const complete = (script: string, words: readonly string[]) =>
    execFileSync('bash', [
      '-c',
      `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _lectern; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ])
      .toString()
      .trim()
      .split('\n');

  it('offers nouns, verbs and options in bash', async () => {
    const { out } = await run('completion', 'bash');
    expect(complete(out, ['lectern', 'no'])).toEqual(['note']);
    expect(complete(out, ['lectern', 'note', 'pa'])).toEqual(['patch']);
    expect(complete(out, ['lectern', 'note', 'get', '--max'])).toEqual(['--max-chars']);
    expect(complete(out, ['lectern', 'note', 'get', 'A.md', '--max'])).toEqual(['--max-chars']);
    expect(complete(out, ['lectern', 'tag', ''])).toEqual(
      expect.arrayContaining(['list', 'notes', 'rename']),
    );
  });

  it.each(['zsh', 'fish'])('prints a script for %s, and refuses other shells', async (shell) => {
    expect((await run('completion', shell)).out).toContain('lectern');
    expect((await run('completion', 'csh')).code).toBe(2);
  });
});

describe('progress', () => {
  it('tells how far, how fast and how long', () => {
    expect(progressText('Indexing', { done: 1200, total: 20_000, ms: 375 })).toBe(
      'Indexing 1200/20000 (6 %), 3200/s, 6 s left',
    );
    expect(progressText('Indexing', { done: 1, total: 1000, ms: 1000 })).toBe(
      'Indexing 1/1000 (0 %), 1/s, 16 min 39 s left',
    );
    expect(progressText('Reading', { done: 5, total: undefined, ms: 0 })).toBe('Reading 5');
  });

  it('keeps one line on a terminal, takes it away, and is silent otherwise', () => {
    for (const isTTY of [true, false]) {
      const written: string[] = [];
      let time = 0;
      const line = progressLine('Indexing', { isTTY, write: (text) => written.push(text) }, () => time);
      line.report(1, 10);
      time = 350;
      line.report(10, 10);
      time = 400;
      line.report(4, 10);
      time = 420;
      line.report(5, 10);
      line.end();
      expect(written).toEqual(isTTY ? ['\r\u001b[KIndexing 4/10 (40 %), 10/s, 1 s left', '\r\u001b[K'] : []);
    }
  });
});
