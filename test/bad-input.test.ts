import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RawServer } from './support/raw-server.ts';
import { writeTree } from './support/write-tree.ts';

/** What goes wrong on other people's machines, against the built binary. */

let folder: string;
let running: RawServer[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-bad-'));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** No answer may show where our code lies, and the end of input is the end, cleanly. */
afterEach(async () => {
  for (const server of running.splice(0)) {
    expect(await server.end(), server.stderr).toBe(0);
    expect(server.stdout).not.toMatch(/\bat \S+ \(|node:internal|lectern\.js|\.ts:\d+|Sqlite?Error|SQLITE_/);
  }
  running = [];
});

let count = 0;
function place(files: Record<string, string | Uint8Array> = {}): { vault: string; state: string } {
  const vault = join(folder, `vault${++count}`);
  mkdirSync(vault);
  writeTree(vault, files);
  return { vault, state: join(folder, `state${count}`) };
}

function serve(vault: string, state: string, ...args: string[]): RawServer {
  const server = new RawServer(['--vault', vault, '--state', state, ...args]);
  running.push(server);
  return server;
}

/** The state folder of the only vault served with this `--state`. */
function stateOf(state: string): string {
  const [only = ''] = readdirSync(state);
  return join(state, only);
}

/** Overwrites the file's pages from the second one on: the header stays right, what it describes does not. */
function scramble(file: string): void {
  const handle = openSync(file, 'r+');
  for (let page = 1; page < 40; page++) writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
  closeSync(handle);
}

const SMALL = { 'A.md': '# A\n\nwombat [[B]] #t\n', 'B.md': 'numbat\n' };

describe('calls that make no sense', () => {
  it('are refused by name, and the server goes on', async () => {
    const { vault, state } = place(SMALL);
    const server = serve(vault, state);
    await server.ready();
    expect((await server.call('note_raed')).refused?.message).toContain('note_read');
    expect((await server.call('')).refused?.code).toBe(-32602);
    expect((await server.call('__proto__')).refused?.code).toBe(-32602);
    const wrong: [string, unknown][] = [
      ['note_read', {}],
      ['note_read', { path: 7.5, include: 3 }],
      ['note_read', { path: 'A.md', offset: -1 }],
      ['note_read', { path: 'A.md', max_chars: 1e9 }],
      ['note_read', { path: 'A.md', include: ['all'] }],
      ['note_read', { path: '../A.md' }],
      ['note_read', { path: '/etc/passwd' }],
      ['note_read', { path: '.obsidian/app.json' }],
      ['note_read', { path: 'A.md\u0000' }],
      ['note_read', { path: 'x'.repeat(100_000) }],
      ['note_read', { path: 'A.md', heading: 'Nowhere' }],
      ['note_read', { path: 'A.md', block_id: 'nowhere' }],
      ['note_list', { limit: 0 }],
      ['note_list', { sort: 'colour' }],
      ['note_list', { cursor: 'bm9uc2Vuc2U' }],
      ['note_list', { frontmatter: 'a' }],
      ['note_list', { path_glob: '{a,b}'.repeat(30) }],
      ['vault_search', { q: '' }],
      ['vault_search', { q: 'wombat', cursor: '}{' }],
      ['vault_search', { q: 'wombat', tag: [[1]] }],
      ['tag_notes', { tag: {} }],
      ['link_backlinks', { path: 'Nowhere.md' }],
      ['tag_list', { limit: 1e6 }],
      ['note_history', { since: 'yesterday-ish' }],
    ];
    for (const [name, args] of wrong) {
      const answer = await server.call(name, args);
      const label = `${name} ${JSON.stringify(args).slice(0, 80)}: ${answer.text.slice(0, 200)}`;
      expect(answer.isError, label).toBe(true);
      expect(answer.data?.code, label).toMatch(
        /^(invalid_input|invalid_path|not_found|forbidden|too_large)$/,
      );
      expect(answer.text.length, label).toBeLessThan(2000);
    }
    for (const q of [
      '"',
      '(',
      'a AND',
      'NEAR(',
      '*',
      '-',
      'tag:',
      '[',
      '/[/',
      '\u0000',
      '\ud800',
      'x'.repeat(50_000),
    ])
      expect((await server.call('vault_search', { q })).isError, q.slice(0, 20)).toBe(false);
    expect((await server.call('note_exists', { path: 'A.md' })).data).toMatchObject({ exists: true });
  });

  it('many at once are all answered', async () => {
    const { vault, state } = place(SMALL);
    const server = serve(vault, state);
    const calls = Array.from({ length: 64 }, (_, at) => {
      const kinds: [string, unknown][] = [
        ['note_read', { path: 'A.md' }],
        ['vault_search', { q: 'wombat' }],
        ['note_list', {}],
        ['tag_list', { limit: 1 + at }],
      ];
      const [name, args] = kinds[at % 4] ?? ['vault_status', {}];
      return server.call(name, args);
    });
    for (const answer of await Promise.all(calls))
      expect(answer, answer.text).toMatchObject({ isError: false });
  });
});

describe('folders that cannot be served', () => {
  it.each([
    ['missing', () => join(folder, 'nowhere'), 'does not exist'],
    ['a file', () => join(place(SMALL).vault, 'A.md'), 'is a file, not a folder'],
    ['below a file', () => join(place(SMALL).vault, 'A.md', 'x'), 'is a file, not a folder'],
  ])('%s: every call says so and what to do', async (_, vault, words) => {
    const server = serve(vault(), join(folder, 'state-none'));
    const answer = await server.call('note_list');
    expect(answer).toMatchObject({ isError: true, data: { code: 'unavailable' } });
    expect(answer.text).toContain(words);
    expect((await server.call('vault_status')).text).toContain(words);
  });

  it('a folder that appears later is served then', async () => {
    const { vault, state } = place(SMALL);
    renameSync(vault, `${vault}-away`);
    const server = serve(vault, state);
    expect((await server.call('note_list')).data.code).toBe('unavailable');
    renameSync(`${vault}-away`, vault);
    expect((await server.ready()).data).toMatchObject({ notes: 2 });
  });

  it('a folder that goes away while it is served and comes back loses nothing', async () => {
    const { vault, state } = place(SMALL);
    const server = serve(vault, state);
    await server.ready();
    renameSync(vault, `${vault}-away`);
    const gone = await server.call('note_read', { path: 'A.md' });
    expect(gone.isError, gone.text).toBe(true);
    expect(gone.data.code).toMatch(/^(not_found|unavailable)$/);
    expect((await server.call('note_write', { path: 'C.md', body: 'x' })).isError).toBe(true);
    renameSync(`${vault}-away`, vault);
    expect((await server.call('note_read', { path: 'A.md' })).data?.body).toContain('wombat');
    writeFileSync(join(vault, 'New.md'), 'bettong\n');
    const found = await server.until(
      'vault_search',
      { q: 'bettong' },
      ({ data }) => data?.total === 1,
      20_000,
    );
    expect(found.data).toMatchObject({ total: 1 });
    const listed = await server.call('note_list');
    expect(listed.data.notes.map((one: { path: string }) => one.path)).toEqual(['A.md', 'B.md', 'New.md']);
  });

  const unprivileged =
    process.getuid?.() === 0
      ? spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'true']).status === 0
        ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath]
        : undefined
      : [process.execPath];
  if (unprivileged === undefined)
    console.log('skipped: permissions do not stop root, and setpriv is missing');

  it.skipIf(unprivileged === undefined)('without permission: the vault, a folder in it, a note', async () => {
    const { vault, state } = place({ ...SMALL, 'Shut/S.md': 'secretive\n', 'C.md': '[[B]]\n' });
    mkdirSync(state);
    chmodSync(state, 0o777);
    const as = () => {
      const server = new RawServer(['--vault', vault, '--state', state], unprivileged);
      running.push(server);
      return server;
    };
    chmodSync(vault, 0o000);
    expect((await as().call('note_list')).text).toContain('may not be read by this user');
    chmodSync(vault, 0o755);
    chmodSync(join(vault, 'Shut'), 0o000);
    chmodSync(join(vault, 'C.md'), 0o000);
    const server = as();
    const status = await server.ready();
    expect(status.data.problems.map((one: { path: string }) => one.path).sort()).toEqual(['C.md', 'Shut']);
    expect((await server.call('note_read', { path: 'A.md' })).isError).toBe(false);
    const shut = await server.call('note_read', { path: 'C.md' });
    expect(shut).toMatchObject({ isError: true, data: { code: 'unavailable' } });
    expect((await server.call('note_write', { path: 'D.md', body: 'x' })).data.code).toMatch(
      /^(unavailable|read_only|forbidden)$/,
    );
    chmodSync(join(vault, 'Shut'), 0o755);
  });
});

describe('state that is damaged', () => {
  it('an index that is no database, or a scrambled one, is built again at the start', async () => {
    const { vault, state } = place(SMALL);
    await serve(vault, state).ready();
    await running.splice(0)[0]?.end();
    for (const damage of [
      (file: string) =>
        writeFileSync(file, 'not a database at all, but long enough to be read as one'.repeat(99)),
      (file: string) => truncateSync(file, 5000),
      scramble,
    ]) {
      damage(join(stateOf(state), 'index.db'));
      const server = serve(vault, state);
      await server.ready();
      const found = await server.until(
        'vault_search',
        { q: 'wombat' },
        ({ data }) => data?.total === 1,
        10_000,
      );
      expect(found.data, found.text).toMatchObject({ total: 1 });
      expect((await server.call('link_backlinks', { path: 'B.md' })).data).toMatchObject({ total: 1 });
      await running.splice(0)[0]?.end();
    }
  });

  it('an index scrambled while it is served answers or says what is wrong; notes stay readable', async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `n${at}.md`,
        `[[n${at + 1}]] word${at} ${'text '.repeat(200)}`,
      ]),
    );
    const { vault, state } = place(notes);
    const server = serve(vault, state);
    await server.ready();
    scramble(join(stateOf(state), 'index.db'));
    for (const [name, args] of [
      ['vault_search', { q: '"word299"' }],
      ['note_list', { sort: '-title' }],
      ['link_unresolved', {}],
      ['tag_list', {}],
    ] as const) {
      const answer = await server.call(name, args);
      if (answer.isError) expect(answer.data, answer.text).toMatchObject({ code: 'unavailable' });
    }
    expect((await server.call('note_read', { path: 'n7.md' })).data?.body).toContain('word7');
    await running.splice(0)[0]?.end();
    const next = serve(vault, state);
    await next.ready();
    const found = await next.until('vault_search', { q: '"word299"' }, ({ data }) => data?.total > 0, 20_000);
    expect(found.data, found.text).toMatchObject({ total: 1 });
  });

  it('a state folder deleted while it is served: notes stay readable, writes are safe or refused', async () => {
    const { vault, state } = place(SMALL);
    const server = serve(vault, state);
    await server.ready();
    rmSync(state, { recursive: true });
    expect((await server.call('note_read', { path: 'A.md' })).data?.body).toContain('wombat');
    const written = await server.call('note_write', { path: 'C.md', body: 'quoll\n' });
    if (written.isError) expect(written.data, written.text).toMatchObject({ code: 'unavailable' });
    else expect((await server.call('note_read', { path: 'C.md' })).data?.body).toBe('quoll\n');
    await running.splice(0)[0]?.end();
    const next = serve(vault, state);
    expect((await next.ready()).data.notes).toBe(written.isError ? 2 : 3);
  });

  it('a broken journal stops writes with a clear error, and no read', async () => {
    const { vault, state } = place(SMALL);
    await serve(vault, state).ready();
    await running.splice(0)[0]?.end();
    // A write-ahead log that is left beside it would heal it.
    for (const end of ['-wal', '-shm']) rmSync(join(stateOf(state), `journal.db${end}`), { force: true });
    writeFileSync(join(stateOf(state), 'journal.db'), 'this was a journal once '.repeat(500));
    const server = serve(vault, state);
    await server.ready();
    expect((await server.call('note_read', { path: 'A.md' })).data?.body).toContain('wombat');
    expect((await server.call('vault_search', { q: 'numbat' })).data).toMatchObject({ total: 1 });
    const refused = await server.call('note_write', { path: 'A.md', body: 'gone' });
    expect(refused.isError, refused.text).toBe(true);
    expect(refused.data.code).toBe('unavailable');
    expect(refused.text).toContain('journal');
    expect((await server.call('note_read', { path: 'A.md' })).data?.body).toContain('wombat');
  });
});

describe('several servers on one vault', () => {
  it('see what the others write, and agree', async () => {
    const { vault, state } = place(SMALL);
    const servers = [0, 1, 2].map(() => serve(vault, state));
    await Promise.all(servers.map((server) => server.ready()));
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      for (const [at, server] of servers.entries()) {
        const word = `marsupial${round}x${at}`;
        const made = await server.call('note_write', { path: `${word}.md`, body: `${word}\n` });
        expect(made.isError, made.text).toBe(false);
        const from = performance.now();
        for (const other of servers) {
          const found = await other.until('vault_search', { q: word }, ({ data }) => data?.total === 1, 5000);
          expect(found.data, `${word}: ${found.text}`).toMatchObject({ total: 1 });
        }
        waits.push(performance.now() - from);
      }
    }
    waits.sort((a, b) => a - b);
    // The others share the index that the writer has brought up to date.
    expect(waits[Math.floor(waits.length / 2)]).toBeLessThan(1000);
    const totals = await Promise.all(servers.map((server) => server.call('note_list', { limit: 200 })));
    for (const { data } of totals) expect(data.total).toBe(14);
  });
});

describe('vaults nobody planned for', () => {
  it('without a note', async () => {
    const { vault, state } = place();
    const server = serve(vault, state);
    expect((await server.ready()).data).toMatchObject({ notes: 0, files: 0, links: 0, tags: 0 });
    for (const [name, args] of [
      ['vault_search', { q: 'x' }],
      ['note_list', {}],
      ['tag_list', {}],
      ['link_unresolved', {}],
      ['link_orphans', {}],
      ['note_history', {}],
      ['trash_list', {}],
    ] as const)
      expect((await server.call(name, args)).data, name).toMatchObject({ total: 0, next_cursor: null });
  });

  it('with a note of 5 MB, a sparse file beyond the limit and links that run in circles', async () => {
    const line = `kowari [[B]] ${'and some more text in a paragraph that goes on '.repeat(40)}\n\n`;
    const { vault, state } = place({ ...SMALL, 'Big.md': line.repeat(Math.ceil(5e6 / line.length)) });
    writeFileSync(join(vault, 'Sparse.md'), '');
    truncateSync(join(vault, 'Sparse.md'), 3e9);
    symlinkSync('Loop.md', join(vault, 'Loop.md'));
    symlinkSync('.', join(vault, 'Round'));
    symlinkSync('/etc/hostname', join(vault, 'Out.md'));
    const server = serve(vault, state);
    const first = await server.call('note_read', { path: 'A.md' });
    expect(first.data?.body).toContain('wombat');
    const status = await server.ready();
    const problems = status.data.problems.map((one: { path: string }) => one.path);
    expect(problems).toEqual(expect.arrayContaining(['Sparse.md', 'Out.md']));
    expect((await server.call('vault_search', { q: 'kowari' })).data).toMatchObject({ total: 1 });
    const big = await server.call('note_read', { path: 'Big.md', offset: 4_000_000, max_chars: 100 });
    expect(big.data).toMatchObject({ offset: 4_000_000, has_more: true });
    expect((await server.call('note_read', { path: 'Sparse.md' })).data.code).toBe('too_large');
    for (const path of ['Loop.md', 'Out.md'])
      expect((await server.call('note_read', { path })).isError, path).toBe(true);
    // A folder that links back into the vault is the folder it links to: nothing has two names.
    expect((await server.call('note_read', { path: 'Round/A.md' })).data).toMatchObject({ path: 'A.md' });
    expect((await server.call('link_backlinks', { path: 'B.md', limit: 1 })).data.total).toBeGreaterThan(
      2000,
    );
  }, 90_000);

  it('with 2,000 files of odd names in one folder', async () => {
    const odd = [
      '[.md',
      '!.md',
      '%20.md',
      '{a,b}.md',
      '*.md',
      '?.md',
      '\'".md',
      'a\nb.md',
      '#.md',
      'x|y.md',
      '^.md',
      '🚀.md',
      '\u202egnp.md',
      `${'é'.repeat(120)}.md`,
      `${'n'.repeat(252)}.md`,
      'CON.md',
      'trailing..md',
    ];
    const { vault, state } = place();
    for (const name of odd) writeFileSync(join(vault, name), `odd numbat\n`);
    // No path can name these two: they are reported, not skipped.
    for (const name of ['\\.md', ' .md']) writeFileSync(join(vault, name), 'odd numbat\n');
    for (let at = odd.length; at < 2000; at++)
      writeFileSync(join(vault, `plain ${at}.md`), `[[${at}]] plain\n`);
    writeFileSync(
      Buffer.concat([Buffer.from(`${vault}/bad`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]),
      'x',
    );
    const server = serve(vault, state);
    const status = await server.ready();
    expect(status.data.notes).toBe(2000);
    const problems = status.data.problems.map(
      (one: { path: string; code: string }) => `${one.code} ${one.path}`,
    );
    expect(problems.sort()).toEqual([
      expect.stringContaining('name_not_utf8 bad'),
      'unreadable  .md',
      'unreadable \\.md',
    ]);
    expect((await server.call('vault_search', { q: 'odd numbat', limit: 1 })).data.total).toBe(odd.length);
    for (const name of odd) {
      const read = await server.call('note_read', { path: name });
      const exists = await server.call('note_exists', { path: name });
      expect(read.data?.body, `${JSON.stringify(name)}: ${read.text}`).toBe('odd numbat\n');
      expect(exists.data, name).toMatchObject({ exists: true });
    }
    let seen = 0;
    let cursor: string | null | undefined;
    do {
      const page = await server.call('note_list', { limit: 200, ...(cursor && { cursor }) });
      seen += page.data.notes.length;
      cursor = page.data.next_cursor;
    } while (cursor);
    expect(seen).toBe(2000);
  }, 90_000);
});
