import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { INSTALL_LIMIT_MS, PATIENCE } from '../../scripts/pinned.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What is in the package, and where it lies. */
export interface Packed {
  readonly file: string;
  readonly bytes: number;
  readonly paths: readonly string[];
}

/** Packs Lectern as it would be published, its build with it. */
export async function pack(folder: string): Promise<Packed> {
  // Without the scripts' own output there is nothing but JSON on standard output.
  const out = await npm(['pack', '--json', '--silent', '--pack-destination', folder], ROOT);
  const [packed] = JSON.parse(out.slice(out.indexOf('[\n'))) as {
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  if (packed === undefined) throw new Error('npm packed nothing.');
  return {
    file: join(folder, packed.filename),
    bytes: packed.size,
    paths: packed.files.map(({ path }) => path),
  };
}

/**
 * `npm install -g` into an empty prefix, with a home folder that knows nothing of Lectern.
 *
 * @param from a tarball, or a git address
 * @returns the program
 */
export async function installGlobally(
  from: string,
  prefix: string,
  options: readonly string[] = [],
): Promise<string> {
  mkdirSync(prefix, { recursive: true });
  await npm(['install', '--global', '--prefix', prefix, ...options, from], prefix);
  return process.platform === 'win32' ? join(prefix, 'lectern.cmd') : join(prefix, 'bin', 'lectern');
}

/** Folders of the packages that were installed with Lectern, not counting its own. */
export function packagesBeside(prefix: string): string[] {
  const own = join(
    prefix,
    ...(process.platform === 'win32' ? [] : ['lib']),
    'node_modules',
    'lectern',
    'node_modules',
  );
  return packagesIn(own);
}

function packagesIn(modules: string): string[] {
  return foldersIn(modules)
    .flatMap((name) =>
      name.startsWith('@') ? foldersIn(join(modules, name)).map((inner) => join(name, inner)) : [name],
    )
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => {
      const folder = join(modules, name);
      return [
        folder,
        ...(foldersIn(folder).includes('node_modules') ? packagesIn(join(folder, 'node_modules')) : []),
      ];
    });
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', ...PATIENCE];
  const { stdout } = await promisify(execFile)('npm', [...args, ...quiet], {
    cwd,
    timeout: INSTALL_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  return stdout;
}
