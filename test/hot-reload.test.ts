import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { httpAddress, LECTERN, ProcessWire } from './support/process-wire.ts';
import { ERAS, statelessRequest } from './support/protocol.ts';

/** A running server follows its configuration file: rules and tools, for sessions that are open too. */

/** Rules are in force after two seconds at most; the rest is for a machine that has much else to do. */
const WITHIN_MS = 60_000;
vi.setConfig({ testTimeout: 3 * WITHIN_MS });

const folder = mkdtempSync(join(tmpdir(), 'lectern-reload-'));
const file = join(folder, 'lectern.yaml');
const vault = join(folder, 'vault');
mkdirSync(join(vault, 'Private'), { recursive: true });
writeFileSync(join(vault, 'A.md'), 'alpha [[Secret]]\n');
writeFileSync(join(vault, 'Private', 'Secret.md'), 'alpha secret\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `vaults: { notes: ${vault} }\nlog_level: info\n`;
const configure = (text: string) => writeFileSync(file, HEAD + text);
const serve = (era?: (typeof ERAS)[number], ...args: string[]) =>
  new ProcessWire(['--config', file, ...args], folder, era).open();

beforeEach(() => configure(''));

async function eventually(check: () => Promise<void>): Promise<void> {
  const end = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(50);
    }
  }
}

async function ready(wire: ProcessWire): Promise<void> {
  await eventually(async () => expect(await wire.call('vault_status')).toMatchObject({ index: 'ready' }));
}

describe.each(ERAS)('in %s', (era) => {
  it('new rules and tools hold for an open session, and the client is told', async () => {
    const wire = await serve(era);
    await ready(wire);
    const read = () => wire.call('note_read', { path: 'Private/Secret.md' });
    const search = () => wire.call('vault_search', { q: 'alpha' });
    expect(await read()).toMatchObject({ body: 'alpha secret\n' });
    expect(await search()).toMatchObject({ total: 2 });
    expect(await wire.tools()).toContain('note_delete');
    if (era === '2026-07-28') {
      wire.send('subscriptions/listen', { notifications: { toolsListChanged: true } });
      await wire.until(() =>
        wire.messages.find(({ method }) => method === 'notifications/subscriptions/acknowledged'),
      );
    }

    configure('paths: { read: { deny: [Private] } }\ntools: { deny: [note_delete] }\n');
    await wire.until(() => wire.messages.find(({ method }) => method === 'notifications/tools/list_changed'));
    expect(await read()).toMatchObject({ code: 'not_found' });
    expect(await search()).toMatchObject({ total: 1 });
    expect(await wire.tools()).not.toContain('note_delete');
    expect(await wire.call('note_delete', { path: 'A.md' })).toMatchObject({ code: -32602 });

    configure('read_only: true\n');
    await eventually(async () => expect(await read()).toMatchObject({ body: 'alpha secret\n' }));
    expect(await wire.tools()).not.toContain('note_write');
    expect(await wire.call('vault_status')).toMatchObject({ read_only: true });
    expect(await wire.end()).toBe(0);
  });
});

it('follows which tools are switched off, which sets are listed and which catalogues are served', async () => {
  const server = spawn(process.execPath, [LECTERN, 'serve', '--no-auth', '--port', '0', '--config', file], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_STATE_HOME: join(folder, 'catalogues') },
  });
  const address = await httpAddress(server);
  const { body, headers } = statelessRequest('tools/list');
  const list = async (path = '') => {
    const response = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) return [String(response.status)];
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
    return result.tools.map(({ name }) => name);
  };
  try {
    expect(await list()).toEqual(expect.arrayContaining(['note_delete', 'tools_more']));
    expect(await list('/indx')).toEqual(await list());
    configure('tools: { off: [note_delete], sets: [all] }\n');
    await eventually(async () => expect(await list()).not.toContain('note_delete'));
    expect(await list()).toContain('vault_reindex');
    expect(await list()).not.toContain('tools_more');
    configure('catalogues: { deny: [indx] }\n');
    await eventually(async () => expect([await list(), await list('/indx')]).toEqual([['404'], ['404']]));
    configure('');
    await eventually(async () => expect(await list('/indx')).toContain('note_delete'));
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});

it('keeps the rules there were when the file is not good, empty or gone, and says so', async () => {
  configure('paths: { read: { deny: [Private] } }\n');
  const wire = await serve();
  await ready(wire);
  const hidden = async () =>
    expect(await wire.call('note_read', { path: 'Private/Secret.md' })).toMatchObject({ code: 'not_found' });
  const said = (text: string) => wire.until(() => (wire.stderr.includes(text) ? true : undefined));

  configure('paths: { red: { deny: [] } }\n');
  await said(
    'There is no setting \\"red\\" in paths. Did you mean read? The rules there were stay in force.',
  );
  await hidden();
  configure('tools: { deny: [note_delte] }\n');
  await said('No tool is named \\"note_delte\\"');
  await hidden();
  configure(`paths: { read: { deny: ["${'{a,b}'.repeat(14)}"] } }\n`);
  await said('too many alternatives');
  await hidden();
  writeFileSync(file, '');
  await said('is empty');
  await hidden();
  rmSync(file);
  await said('cannot be read');
  await hidden();

  // As editors save: a new file in the place of the old one.
  writeFileSync(`${file}.new`, HEAD);
  renameSync(`${file}.new`, file);
  await eventually(async () =>
    expect(await wire.call('note_read', { path: 'Private/Secret.md' })).toMatchObject({
      body: 'alpha secret\n',
    }),
  );
  expect(await wire.end()).toBe(0);
});

it('takes up a file that appears where there was none, also when it names the folder', async () => {
  rmSync(file);
  const usual = join(folder, '.config', 'lectern');
  const wire = await new ProcessWire(['--vault', vault], folder).open();
  await ready(wire);
  expect(await wire.call('note_read', { path: 'Private/Secret.md' })).toMatchObject({
    body: 'alpha secret\n',
  });

  mkdirSync(usual, { recursive: true });
  const put = (text: string) => writeFileSync(join(usual, 'lectern.yaml'), text);
  put('tools: { deny: [note_delete] }\n');
  await wire.until(() => wire.messages.find(({ method }) => method === 'notifications/tools/list_changed'));
  // Whoever waits for a file that may never come says nothing of it.
  expect(wire.stderr).toBe('');
  expect(await wire.tools()).not.toContain('note_delete');
  put(`vaults: { mine: { path: ${vault}, paths: { read: { deny: [Private] } } } }\n`);
  await eventually(async () =>
    expect(await wire.call('note_read', { path: 'Private/Secret.md' })).toMatchObject({ code: 'not_found' }),
  );
  put('read_only: true\n');
  await eventually(async () => expect(await wire.tools()).not.toContain('note_write'));
  rmSync(usual, { recursive: true });
  await wire.until(() => (wire.stderr.includes('cannot be read') ? true : undefined));
  expect(await wire.tools()).not.toContain('note_write');
  expect(await wire.end()).toBe(0);
});

it('moves the folder of prompts and the daily notes, and tells the client', async () => {
  mkdirSync(join(vault, 'Ask me'), { recursive: true });
  writeFileSync(join(vault, 'Ask me', 'Plan.md'), 'Make a plan.\n');
  const wire = await serve();
  await ready(wire);
  const names = async () => {
    const { result } = await wire.request('prompts/list');
    return (result.prompts as { name: string }[]).map(({ name }) => name);
  };
  const daily = async () => {
    const filled = await wire.request('prompts/get', {
      name: 'daily_note',
      arguments: { date: '2026-05-03' },
    });
    return JSON.stringify(filled.result);
  };
  expect(await names()).not.toContain('plan');
  expect(await daily()).toContain('Create Daily/2026-05-03.md');
  configure('prompts: { folder: Ask me }\ndaily_notes: { folder: Log, format: YYYY/DD MMM }\n');
  await wire.until(() => wire.messages.find(({ method }) => method === 'notifications/prompts/list_changed'));
  expect(await names()).toContain('plan');
  expect(await daily()).toContain('Create Log/2026/03 May.md');
  expect(await wire.end()).toBe(0);

  // What the vault's own program was told comes first.
  mkdirSync(join(vault, '.obsidian'));
  writeFileSync(join(vault, '.obsidian', 'daily-notes.json'), '{"folder":"Days"}');
  const again = await serve();
  await ready(again);
  const { result } = await again.request('prompts/get', {
    name: 'daily_note',
    arguments: { date: '2026-05-03' },
  });
  expect(JSON.stringify(result)).toContain('Create Days/2026-05-03.md');
  expect(await again.end()).toBe(0);
  rmSync(join(vault, '.obsidian'), { recursive: true });
});

it('lets a flag stand above the file, and leaves for the next start what only a start takes up', async () => {
  const wire = await serve('2025-11-25', '--deny-read', 'Private');
  await ready(wire);
  configure('state: elsewhere\npaths: { read: { deny: [Nothing] } }\n');
  await wire.until(() => (wire.stderr.includes('when the server is started again') ? true : undefined));
  expect(await wire.call('note_read', { path: 'Private/Secret.md' })).toMatchObject({ code: 'not_found' });
  expect(await wire.call('note_read', { path: 'A.md' })).toMatchObject({ path: 'A.md' });
  expect(await wire.end()).toBe(0);
});

it('takes up what changed between the start and the first message', async () => {
  // The warning about this setting shows that the file was read; the server watches the file from its first answer on.
  configure('embedder_key: { env: NOT_USED }\n');
  const starting = new ProcessWire(['--config', file, '--log-level', 'info'], folder);
  await starting.until(() => (starting.stderr.includes('embedder_key is set') ? true : undefined));
  configure('paths: { read: { deny: [Private] } }\n');
  const wire = await starting.open();
  await eventually(async () =>
    expect(await wire.call('note_read', { path: 'Private/Secret.md' })).toMatchObject({ code: 'not_found' }),
  );
  expect(await wire.end()).toBe(0);
});

it('tells clients over HTTP as well, under their subscription', async () => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const args = [LECTERN, 'serve', '--no-auth', '--port', '0', '--config', file];
  const child = spawn(process.execPath, args, { env });
  const left = new Promise((resolve) => child.once('exit', resolve));
  try {
    const url = await httpAddress(child);
    const { body, headers } = statelessRequest('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'Content-Type': 'application/json' },
    });
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let heard = '';
    const hear = async (text: string) => {
      while (!heard.includes(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`The stream ended: ${heard}`);
        heard += value;
      }
    };
    await hear('notifications/subscriptions/acknowledged');
    configure('tools: { deny: [note_delete] }\n');
    await hear('notifications/tools/list_changed');
    await reader.cancel();
  } finally {
    child.kill('SIGTERM');
    await left;
  }
});
