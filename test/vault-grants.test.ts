import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openOAuthDoor } from './support/oauth-door.ts';
import { OAuthFlow } from './support/oauth-flow.ts';
import { httpAddress, LECTERN } from './support/process-wire.ts';
import { statelessRequest } from './support/protocol.ts';

/** How the owner gives somebody some of several vaults: on the command line, and on the consent page. */

const folder = mkdtempSync(join(tmpdir(), 'lectern-grants-'));
const config = join(folder, 'lectern.yaml');
for (const name of ['work', 'home', 'attic']) {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'A.md'), `text of ${name}\n`);
}
writeFileSync(config, 'vaults: { work: ./work, home: ./home, attic: ./attic }\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? '', HOME: folder };

function lectern(...args: string[]) {
  return spawnSync(process.execPath, [LECTERN, ...args, '--config', config], { env, encoding: 'utf8' });
}

function createToken(...args: string[]) {
  const made = lectern('token', 'create', '--name', `test ${args.join(' ')}`, ...args);
  return { token: made.stdout.trim(), said: made.stderr, status: made.status };
}

async function serving<T>(args: readonly string[], work: (url: string) => Promise<T>): Promise<T> {
  const child: ChildProcess = spawn(
    process.execPath,
    [LECTERN, 'serve', '--port', '0', '--config', config, ...args],
    { env },
  );
  try {
    return await work((await httpAddress(child)).replace(/\/mcp$/, ''));
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}

describe('lectern token create --vault', () => {
  it('makes a token for these vaults of the file alone, wherever they are served', async () => {
    const all = createToken();
    const home = createToken('--vault', 'home');
    const two = createToken('--vault', 'home', '--vault', 'attic');
    expect(all.said).toMatch(/: vault:read, expires/);
    expect(home.said).toContain(': vault:read vault-name:home, ');
    expect(two.said).toContain('vault-name:home vault-name:attic');
    const names = async (url: string, token: string) => {
      const response = await fetch(`${url}/v1/vaults`, { headers: { Authorization: `Bearer ${token}` } });
      const { data, error } = (await response.json()) as {
        data?: { vaults: { vault: string }[] };
        error?: { code: string };
      };
      return data?.vaults.map(({ vault }) => vault) ?? error?.code;
    };
    const text = async (url: string, token: string) =>
      await (await fetch(`${url}/v1/notes/A.md`, { headers: { Authorization: `Bearer ${token}` } })).text();
    await serving([], async (url) => {
      expect(await names(url, all.token)).toEqual(['work', 'home', 'attic']);
      expect(await names(url, two.token)).toEqual(['home', 'attic']);
      expect(await names(url, home.token)).toBe('not_found');
      expect(await text(url, home.token)).toContain('text of home');
    });
    // The tokens of a file are the same, whichever of its vaults are served.
    await serving(['--vault', 'home'], async (url) => {
      expect(await text(url, all.token)).toContain('text of home');
      expect(await text(url, home.token)).toContain('text of home');
    });
    await serving(['--vault', 'work'], async (url) => {
      expect(await text(url, home.token)).toContain('"forbidden"');
    });
    expect(lectern('token', 'list', '--vault', 'home').stdout).toContain('vault-name:attic');
  });

  it('refuses the name of a vault that there is none of', () => {
    const made = createToken('--scope', 'vault:read', 'vault-name:hmoe');
    expect(made.status).not.toBe(0);
    expect(made.said).toContain('Did you mean home?');
    expect(made.token).toBe('');
  });

  it('serves the others, and lets tokens in, while the first vault is away', async () => {
    const { token } = createToken('--vault', 'attic');
    rmSync(join(folder, 'work'), { recursive: true });
    await serving([], async (url) => {
      const response = await fetch(`${url}/v1/notes/A.md`, { headers: { Authorization: `Bearer ${token}` } });
      expect(await response.text()).toContain('text of attic');
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ ready: true, store: 'partial' });
    });
  });
});

describe('the consent page', () => {
  it('asks which of several vaults, and lets in to no other', async () => {
    const served = await openOAuthDoor({ 'A.md': 'a\n' }, { vaults: ['test', 'other <b>'] });
    const flow = new OAuthFlow(served);
    await expect(flow.signIn()).rejects.toThrow(/Choose at least one vault[\s\S]*other &lt;b&gt;/);
    await expect(flow.signIn({ vault: 'unknown' })).rejects.toThrow('Choose at least one vault');
    const read = async (token: string) => {
      const { body, headers } = statelessRequest('tools/call', { name: 'note_list', arguments: {} });
      return await (await served.post(body, { ...headers, Authorization: `Bearer ${token}` })).text();
    };
    expect(await read((await flow.signIn({ vault: 'test' })).access_token)).toContain('A.md');
    const other = await read((await flow.signIn({ vault: 'other <b>' })).access_token);
    expect(other).toContain('error');
    expect(other).not.toContain('A.md');
    await served.close();
  });
});
