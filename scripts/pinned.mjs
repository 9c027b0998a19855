// Packages that only some tests need, installed from a lock file of their own, beside the others and not among them.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const INSTALL_LIMIT_MS = 5 * 60_000;
/** SQLite takes more than a minute on a quiet machine, and many on a busy one. */
const COMPILE_LIMIT_MS = 20 * 60_000;
/** Gives up within seconds where there is no network. */
export const PATIENCE = [
  '--fetch-retries=2',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Installs what the lock file in `pinned` names, once: into a cache, under the lock file's hash.
 *
 * @param pinned folder with package.json and package-lock.json
 * @param compiled packages whose native part is compiled from the sources they bring; no other script of a package runs
 * @returns the folder with its node_modules
 * @throws Error when npm cannot install it
 */
export async function installPinned(pinned, compiled = []) {
  const pins = readFileSync(join(pinned, 'package-lock.json'));
  const cache = join(root, 'node_modules', '.cache', basename(pinned));
  const folder = join(cache, createHash('sha256').update(pins).digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const lock = `${folder}.lock`;
  const until = Date.now() + INSTALL_LIMIT_MS + COMPILE_LIMIT_MS;
  // Of several processes that want it one installs it; the others wait.
  while (!took(lock)) {
    if (existsSync(folder)) return folder;
    // Whoever had it ended in the middle.
    if (Date.now() > until) rmSync(lock, { recursive: true, force: true });
    await delay(200);
  }
  const scratch = mkdtempSync(join(cache, 'new-'));
  try {
    if (existsSync(folder)) return folder;
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(pinned, file), join(scratch, file));
    await npmCi(scratch);
    if (compiled.length > 0)
      await npm(['rebuild', ...compiled, '--loglevel=error'], scratch, COMPILE_LIMIT_MS);
    // Made for one user alone: some tests run what is in it as another.
    chmodSync(scratch, 0o755);
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    rmSync(lock, { recursive: true, force: true });
  }
  return folder;
}

/** @returns false when another process has it */
function took(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

async function npmCi(folder) {
  await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...PATIENCE], folder);
}

/** @throws Error with the code that npm gives */
export async function npm(args, folder, timeout = INSTALL_LIMIT_MS) {
  const options = { cwd: folder, timeout, shell: process.platform === 'win32' };
  await promisify(execFile)('npm', args, options).catch((error) => {
    const [code] = /^npm error code .+$/m.exec(error.stderr ?? '') ?? [error.message];
    throw new Error(`it cannot be installed: ${code}`, { cause: error });
  });
}

/**
 * A Node of at least this major version: the one that runs this, or one that npm has for the platform.
 *
 * @returns its executable
 * @throws Error when there is none
 */
export async function nodeOfAtLeast(major) {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath;
  const { platform, arch } = process;
  const name = platform === 'win32' ? `node-win-${arch}/bin/node.exe` : `node-${platform}-${arch}/bin/node`;
  const folder = await installPinned(join(root, 'test', 'newer-node'));
  const node = join(folder, 'node_modules', name);
  if (existsSync(node)) return node;
  throw new Error(`npm has no Node ${major} for ${platform} ${arch}`);
}
