import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { clientNamed } from '../src/cli/clients/table.ts';
import { commandIn } from './support/set-up-clients.ts';
import { inTerminal } from './support/terminal.ts';

/** Every command of the README's Install section, word by word, in the order of the page and in a home of its own. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SECTION =
  /\n## Install\n([\s\S]*?)\n## /.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
const COMMANDS = [...SECTION.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);

const folder = mkdtempSync(join(tmpdir(), 'lectern-readme-'));
const home = join(folder, 'home');
const clone = join(home, 'lectern');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(home, 'Notes'), { recursive: true });
mkdirSync(join(folder, 'bin'));
writeFileSync(join(home, 'Notes', 'Tide table.md'), '# Tides\n');
symlinkSync(process.execPath, join(folder, 'bin', 'node'));

const env = {
  HOME: home,
  // npm's programs go into the home; what it fetched before need not be fetched again.
  npm_config_prefix: join(home, '.npm-global'),
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
  npm_config_prefer_offline: 'true',
  npm_config_fund: 'false',
  PATH: [join(home, '.npm-global', 'bin'), join(folder, 'bin'), process.env.PATH].join(':'),
};

/**
 * In the campaigns (`npm run test:long`) `npm ci` installs all that a build takes; else it only holds the lock file against
 * package.json, and the packages of this run, which it once installed, stand in.
 */
async function installed(command: string): Promise<void> {
  if (process.env.LECTERN_CAMPAIGN) {
    await ran(command, clone);
    return;
  }
  await ran(`${command} --dry-run --ignore-scripts`, clone);
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'), 'junction');
}

/** A command that ends: what it printed. Questions are answered with Enter, as the page says nothing of them. */
async function ran(command: string, cwd: string): Promise<string> {
  const shown = await inTerminal('sh', ['-c', command], {
    columns: 200,
    env,
    cwd,
    limitMs: 540_000,
    type: Array.from({ length: 8 }, () => ({ after: /\]: /, keys: '\r' })),
  });
  const text = shown.lines.join('\n');
  expect(shown.code, `${command}\n${text}`).toBe(0);
  return text;
}

/** A server: it runs until it says that it is ready. */
async function served(command: string): Promise<string> {
  const server = spawn('sh', ['-c', `exec ${command} --port 0`], { env, cwd: home });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk) => {
      said += String(chunk);
      if (/https?:\/\/\S+/.test(said)) resolve();
    });
    server.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${said}`)));
  }).finally(() => server.kill());
  return said;
}

describe('the Install section', () => {
  it('has a way for each kind of person', () => {
    for (const person of [
      'Claude Desktop',
      'Claude Code',
      'Cursor or VS Code',
      'claude.ai or ChatGPT',
      'run a server',
    ])
      expect(SECTION).toContain(person);
    expect(COMMANDS.length).toBeGreaterThan(9);
  });

  it('works word by word', async () => {
    let cwd = home;
    for (const written of COMMANDS) {
      const command = written.replace('<repository>', `'${ROOT}'`);
      if (command === 'cd lectern') cwd = clone;
      else if (command === 'npm ci') await installed(command);
      else if (command.startsWith('lectern serve')) await served(command);
      else await ran(command, cwd);
      if (command.startsWith('npm install -g')) cwd = home;
    }
    for (const id of ['claude-desktop', 'claude-code', 'cursor', 'vscode']) {
      const client = clientNamed(id);
      if (client === undefined) throw new Error(id);
      const [, script, ...args] = commandIn(client, home);
      expect(script).toContain(join(home, '.npm-global'));
      expect(args).toEqual(['mcp', 'serve', '--stdio', '--vault', join(home, 'Notes')]);
    }
  }, 900_000);
});
