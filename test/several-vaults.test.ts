import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { indxCatalogue } from '../src/catalogues/indx/catalogue.ts';
import { mounted } from '../src/catalogues/mounted.ts';
import { toolList } from '../src/mcp/tool-list.ts';
import { offered, withoutAssistant } from '../src/operations/offer.ts';
import { DEFAULT_TOOLSETS } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { httpAddress, ProcessWire } from './support/process-wire.ts';
import { statelessRequest } from './support/protocol.ts';

/** One server, two vaults, each with its own notes, rules, journal and index. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lectern-several-'));
const work = join(folder, 'Work');
const home = join(folder, 'Notes');
for (const [vault, word] of [
  [work, 'budget'],
  [home, 'garden'],
] as const) {
  mkdirSync(join(vault, 'Diary'), { recursive: true });
  writeFileSync(join(vault, 'A.md'), `${word} shared\n`);
  writeFileSync(join(vault, 'Diary', 'Today.md'), `${word} diary\n`);
}
const config = join(folder, 'lectern.yaml');
writeFileSync(
  config,
  [
    'vaults:',
    '  work: { path: ./Work, read_only: true }',
    '  home: { path: ./Notes, paths: { read: { deny: [Diary] } } }',
  ].join('\n'),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function indexed(wire: ProcessWire): Promise<void> {
  for (;;) {
    const { vaults } = (await wire.call('vault_status')) as { vaults: { index?: string }[] };
    if (vaults.every(({ index }) => index === 'ready')) return;
    await delay(50);
  }
}

describe('several vaults over stdio', () => {
  it('answers each call from the vault it names, under that vault’s rules', async () => {
    const wire = await new ProcessWire(['--config', config], folder).open();
    await indexed(wire);
    expect(wire.messages[0]?.result.instructions).toContain('(work, home)');

    const read = (vault: string, path: string) => wire.call('note_read', { vault, path });
    expect(await read('work', 'A.md')).toMatchObject({ body: 'budget shared\n' });
    expect(await read('home', 'A.md')).toMatchObject({ body: 'garden shared\n' });
    expect(await read('work', 'Diary/Today.md')).toMatchObject({ body: 'budget diary\n' });
    expect(await read('home', 'Diary/Today.md')).toMatchObject({ code: 'not_found' });
    expect(await wire.call('note_read', { path: 'A.md' })).toMatchObject({
      code: 'invalid_input',
      details: { missing: ['vault'], vaults: ['work', 'home'] },
    });
    expect(await read('hme', 'A.md')).toMatchObject({ next: 'Did you mean home?' });

    const hits = async (vault: string) => (await wire.call('vault_search', { vault, q: 'garden' })).total;
    expect([await hits('work'), await hits('home')]).toEqual([0, 1]);

    const write = (vault: string) => wire.call('note_write', { vault, path: 'New.md', body: 'new\n' });
    expect(await write('work')).toMatchObject({ code: 'read_only' });
    expect(await write('home')).toMatchObject({ created: true });
    expect(readFileSync(join(home, 'New.md'), 'utf8')).toBe('new\n');
    expect(readdirSync(work)).not.toContain('New.md');
    const history = async (vault: string) => (await wire.call('note_history', { vault })).total;
    expect([await history('work'), await history('home')]).toEqual([0, 1]);
    expect(await wire.call('note_undo', { vault: 'home', mine: true })).not.toHaveProperty('code');

    const { vaults } = (await wire.call('vault_status')) as { vaults: Record<string, unknown>[] };
    expect(vaults).toMatchObject([
      { vault: 'work', name: 'work', read_only: true, notes: 2 },
      { vault: 'home', name: 'home', read_only: false, notes: 1 },
    ]);
    expect(await wire.call('vault_status', { vault: 'home' })).toMatchObject({ name: 'home', notes: 1 });
    const states = readdirSync(join(folder, 'state', 'lectern')).map((name) => name.split('-')[0]);
    expect(states.sort()).toEqual(['Notes', 'Work']);
    expect(await wire.end()).toBe(0);
  });

  it('shows the resources of the first, and answers for the others when one is not there', async () => {
    const args = ['--vault', `home=${home}`, '--vault', `gone=${join(folder, 'gone')}`, '--config', config];
    const wire = await new ProcessWire(args, folder).open();
    const { result } = await wire.request('resources/read', { uri: 'vault://A.md' });
    expect(JSON.stringify(result)).toContain('garden shared');
    const status = (await wire.call('vault_status')) as { vaults: Record<string, unknown>[] };
    expect(status.vaults).toMatchObject([
      { vault: 'home', store: 'folder' },
      { vault: 'gone', code: 'unavailable' },
    ]);
    // The file's rules hold for its folders, whoever names them.
    expect(await wire.call('note_read', { vault: 'home', path: 'Diary/Today.md' })).toMatchObject({
      code: 'not_found',
    });
    expect(await wire.end()).toBe(0);
  });

  it('asks for no name where there is one vault: the list of tools is the same to the byte', async () => {
    const wire = await new ProcessWire(['--vault', `home=${home}`], folder).open();
    await wire.tools();
    const scopes = ['vault:read', 'vault:write'] as const;
    const left = offered(withoutAssistant(OPERATIONS).operations, { scopes, allow: [], deny: [] });
    expect(wire.lines[1]).toBe(
      JSON.stringify({
        result: toolList(mounted(indxCatalogue, { operations: left, toolsets: DEFAULT_TOOLSETS })),
        jsonrpc: '2.0',
        id: 2,
      }),
    );
    expect(await wire.call('note_read', { path: 'A.md' })).toMatchObject({ body: 'garden shared\n' });
    expect(await wire.call('note_read', { path: 'A.md', vault: 'home' })).toMatchObject({
      code: 'invalid_input',
    });
    expect(await wire.end()).toBe(0);
  });
});

describe('several vaults over HTTP', () => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder };

  it('answers from each, and follows the file for all of them', async () => {
    const child = spawn(
      process.execPath,
      [LECTERN, 'serve', '--no-auth', '--port', '0', '--config', config],
      {
        env,
      },
    );
    try {
      const url = await httpAddress(child);
      const call = async (name: string, args: object) => {
        const { body, headers } = statelessRequest('tools/call', { name, arguments: args });
        const response = await fetch(url, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...headers, 'Content-Type': 'application/json' },
        });
        const { result, error } = (await response.json()) as {
          result?: { structuredContent: Record<string, unknown> };
          error?: { code: number };
        };
        return result?.structuredContent ?? { code: error?.code };
      };
      expect(await call('note_read', { vault: 'work', path: 'A.md' })).toMatchObject({
        body: 'budget shared\n',
      });
      expect(await call('note_read', { vault: 'home', path: 'Diary/Today.md' })).toMatchObject({
        code: 'not_found',
      });
      writeFileSync(
        config,
        'vaults: { work: ./Work, home: ./Notes }\ntools: { deny: [note_exists] }\npaths: { read: { deny: [A.md] } }\n',
      );
      const end = performance.now() + 8000;
      for (;;) {
        const hidden = await call('note_read', { vault: 'work', path: 'A.md' });
        if (hidden.code === 'not_found' || performance.now() > end) break;
        await delay(50);
      }
      expect(await call('note_read', { vault: 'work', path: 'A.md' })).toMatchObject({ code: 'not_found' });
      expect(await call('note_read', { vault: 'home', path: 'Diary/Today.md' })).toMatchObject({
        body: 'garden diary\n',
      });
      expect(await call('note_exists', { vault: 'home', path: 'A.md' })).toMatchObject({ code: -32602 });
    } finally {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    }
  });

  it('lets the command line choose one by its name, and asks which when none is named', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [LECTERN, ...args, '--config', config], { env, encoding: 'utf8' });
    const chosen = run('note', 'get', 'Diary/Today.md', '--vault', 'home', '--json');
    expect(JSON.parse(chosen.stdout)).toMatchObject({ body: 'garden diary\n' });
    const open = run('note', 'get', 'Diary/Today.md', '--text');
    expect(open.stderr).toContain('There are several vaults: work, home.');
    expect(open.status).not.toBe(0);
  });
});
