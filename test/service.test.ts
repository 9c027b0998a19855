import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchd } from '../src/cli/service/launchd.ts';
import type { ServicePlan } from '../src/cli/service/plan.ts';
import { variablesIn } from '../src/cli/service/run.ts';
import { install, type ServiceHost, type StepResult } from '../src/cli/service/service.ts';
import { systemd } from '../src/cli/service/systemd.ts';
import { windowsTask } from '../src/cli/service/windows-task.ts';
import { freePort } from './support/free-port.ts';
import { LECTERN } from './support/raw-server.ts';

/** The files of a service, and the commands that write them, take them away and run what they start. */

const run = promisify(execFile);
let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'lectern-service-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function planFor(vault: string, home = '/home/ann'): ServicePlan {
  return {
    command: ['/usr/bin/node', '/opt/lectern/dist/lectern.js', 'serve', '--vault', `notes=${vault}`],
    writable: [vault, `${home}/.local/state/lectern`],
    perhaps: [`${home}/.local/state/lectern/models`],
    home,
    environmentFile: `${home}/.config/lectern/service.env`,
    logFile: `${home}/.local/state/lectern/notes-1/service.log`,
  };
}

describe('the files', () => {
  it.each([
    ['lectern.service', systemd({}, '/home/ann')],
    ['app.lectern.server.plist', launchd('/Users/ann', 501)],
    ['service.xml', windowsTask({}, 'C:\\Users\\ann')],
  ])('%s is as it is known to work', async (name, manager) => {
    const [file] = manager.files(planFor('/home/ann/My <notes> & "more"'));
    await expect(file?.text).toMatchFileSnapshot(`fixtures/service/${name}`);
  });

  const analyze = spawnable('systemd-analyze');
  it.skipIf(!analyze)(
    'systemd finds nothing wrong with the unit, whatever the vault is called',
    async () => {
      for (const name of ['notes', 'My notes', '100% $HOME "quoted" \\ back', 'Früh', "it's"]) {
        const home = join(folder, 'units', name);
        mkdirSync(home, { recursive: true });
        const plan: ServicePlan = {
          ...planFor(join(home, 'vault'), home),
          command: [process.execPath, LECTERN, 'serve', '--vault', home],
        };
        const [file] = systemd({}, home).files(plan);
        const unit = join(folder, 'lectern.service');
        writeFileSync(unit, file?.text ?? '');
        const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder, HOME: folder };
        const { stdout, stderr } = await run('systemd-analyze', ['verify', '--user', '--man=no', unit], {
          env,
        });
        expect(stdout + stderr).toBe('');
      }
    },
    120_000,
  );

  it.skipIf(!analyze)(
    'systemd says so of a unit that is wrong',
    async () => {
      const unit = join(folder, 'wrong.service');
      writeFileSync(unit, '[Service]\nExecStart=/nowhere/at/all\nNoSuchWord=yes\n');
      const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder, HOME: folder };
      const failed = await run('systemd-analyze', ['verify', '--user', '--man=no', unit], { env }).catch(
        (error) => error,
      );
      expect(`${failed.stdout}${failed.stderr}`).toContain('NoSuchWord');
    },
    60_000,
  );

  it('Windows takes the words apart as they were put together', () => {
    const word = fc
      .string({ unit: fc.constantFrom('a', ' ', '"', '\\', '&', '<', 'é') })
      .filter((text) => text !== '');
    fc.assert(
      fc.property(word, (vault) => {
        const [file] = windowsTask({}, 'C:\\Users\\ann').files(planFor(vault));
        const line = /<Arguments>(.*)<\/Arguments>/s.exec(file?.text ?? '')?.[1] ?? '';
        expect(windowsWords(plainXml(line)).at(-1)).toBe(`notes=${vault}`);
      }),
    );
  });

  it('launchd reads the words that were meant', () => {
    const vault = 'a <b> & "c" \\ d';
    const [file] = launchd('/Users/ann', 501).files(planFor(vault));
    const words = [...(file?.text ?? '').matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word = '']) =>
      plainXml(word),
    );
    expect(words.slice(-3)).toEqual(['serve', '--vault', `notes=${vault}`]);
  });
});

describe('lectern service', () => {
  let home: string;
  let environment: Record<string, string>;
  let calls: string;
  const lectern = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [LECTERN, ...args], { env: environment, cwd: home })).stdout;
  const unit = () => join(home, '.config', 'systemd', 'user', 'lectern.service');

  beforeAll(() => {
    home = join(folder, 'home');
    const programs = join(folder, 'bin');
    calls = join(folder, 'calls');
    mkdirSync(join(home, 'Notes'), { recursive: true });
    mkdirSync(programs);
    writeFileSync(join(home, 'Notes', 'A.md'), '# A\n');
    for (const name of ['systemctl', 'journalctl']) {
      writeFileSync(
        join(programs, name),
        `#!/bin/sh\necho "${name} $*" >> '${calls}'\necho "${name} says"\n`,
      );
      chmodSync(join(programs, name), 0o755);
    }
    environment = {
      HOME: home,
      PATH: `${programs}:/usr/bin:/bin`,
      LECTERN_HTTP_TOKEN: 'secret-secret-secret-secret',
    };
  });

  it.skipIf(process.platform !== 'linux')(
    'writes, starts, says so twice alike, and takes everything away',
    async () => {
      const before = tree(home);
      const dry = await lectern('service', 'install', '--vault', join(home, 'Notes'), '--dry-run');
      expect(tree(home)).toEqual(before);
      expect(dry).toContain(`# ${unit()}`);
      expect(dry).toContain('$ systemctl --user daemon-reload');

      expect(await lectern('service', 'install', '--vault', join(home, 'Notes'))).toContain(
        `Wrote ${unit()}.`,
      );
      const written = readFileSync(unit(), 'utf8');
      expect(written).toContain(`ReadWritePaths="${join(home, 'Notes')}"`);
      expect(written).not.toContain('secret-secret');
      expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([
        'systemctl --user daemon-reload',
        'systemctl --user enable lectern.service',
        'systemctl --user restart lectern.service',
      ]);
      expect(await lectern('service', 'install', '--vault', join(home, 'Notes'))).toContain(
        'is as it should be',
      );
      expect(readFileSync(unit(), 'utf8')).toBe(written);
      expect(await lectern('service', 'logs', '--vault', join(home, 'Notes'))).toContain('journalctl says');

      // A setting that changed: the file is written anew, and what it has to take away is still known.
      await lectern('service', 'install', '--vault', `work=${join(home, 'Notes')}`);
      expect(readFileSync(unit(), 'utf8')).toContain('work=');
      expect(await lectern('service', 'remove')).toContain(`Removed ${unit()}.`);
      expect(readFileSync(calls, 'utf8')).toContain('systemctl --user disable --now lectern.service');
      // The state folder belongs to the notes, not to the service.
      rmSync(join(home, '.local'), { recursive: true });
      expect(tree(home)).toEqual(before);
      expect(await lectern('service', 'remove')).toContain('No service is installed.');
    },
    120_000,
  );

  it.skipIf(process.platform !== 'linux')(
    'leaves a unit alone that somebody else wrote',
    async () => {
      mkdirSync(join(unit(), '..'), { recursive: true });
      writeFileSync(unit(), '[Service]\nExecStart=/bin/true\n');
      for (const args of [['install', '--vault', join(home, 'Notes')], ['remove']]) {
        const failed = await lectern('service', ...args).catch(
          (error: { code: number; stderr: string }) => error,
        );
        expect(failed).toMatchObject({ code: 5, stderr: expect.stringContaining('not written by lectern') });
      }
      expect(readFileSync(unit(), 'utf8')).toBe('[Service]\nExecStart=/bin/true\n');
      rmSync(join(home, '.config'), { recursive: true });
    },
    60_000,
  );

  it('says which step failed, and that the files are there', async () => {
    const own = join(folder, 'failing');
    const host: ServiceHost = {
      manager: systemd({}, own),
      run: async (step): Promise<StepResult> =>
        step.includes('enable') ? { code: 1, output: 'Failed to connect to bus\n' } : { code: 0, output: '' },
      say: () => {},
    };
    await expect(install(host, planFor(join(own, 'vault'), own))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Failed to connect to bus'),
    });
    expect(existsSync(join(own, '.config', 'systemd', 'user', 'lectern.service'))).toBe(true);
  });

  it('runs the server for managers without a log: variables from a file, words into a log, a signal passed on', async () => {
    const port = await freePort();
    const log = join(folder, 'service.log');
    const envFile = join(folder, 'service.env');
    writeFileSync(envFile, `# for the server\nLECTERN_PORT=${port}\nLECTERN_LOG_LEVEL="info"\n`);
    const args = [
      'service',
      'run',
      '--log',
      log,
      '--env-file',
      envFile,
      '--',
      'serve',
      '--vault',
      join(home, 'Notes'),
    ];
    const child = spawn(process.execPath, [LECTERN, ...args], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    try {
      await expect.poll(() => status(`http://127.0.0.1:${port}/healthz`), { timeout: 60_000 }).toBe(200);
      await expect.poll(() => status(`http://127.0.0.1:${port}/readyz`), { timeout: 60_000 }).toBe(200);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).toBe(0);
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.some(({ text }) => /serving .* at http/.test(text))).toBe(true);
  }, 150_000);

  it('reads a file of variables as systemd does', () => {
    const path = join(folder, 'variables');
    writeFileSync(path, '# a\nA=1\n B = no\nC="x y"\nD=\'q\'\n\nE=\n');
    expect(variablesIn(path)).toEqual({ A: '1', C: 'x y', D: 'q', E: '' });
    expect(variablesIn(join(folder, 'none'))).toEqual({});
  });
});

function spawnable(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function status(url: string): Promise<number> {
  return fetch(url).then(
    (response) => response.status,
    () => 0,
  );
}

function tree(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}

function plainXml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}

/** CommandLineToArgvW, as its documentation has it. */
function windowsWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0;
    const next = line[at + slashes];
    if (slashes > 0 && next === '"') {
      word = (word ?? '') + '\\'.repeat(Math.floor(slashes / 2));
      at += slashes;
      if (slashes % 2 === 1) word += '"';
      else isQuoted = !isQuoted;
    } else if (slashes > 0) {
      word = (word ?? '') + '\\'.repeat(slashes);
      at += slashes - 1;
    } else if (line[at] === '"') {
      isQuoted = !isQuoted;
      word ??= '';
    } else if (line[at] === ' ' && !isQuoted) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + line[at];
  }
  return word === undefined ? words : [...words, word];
}
