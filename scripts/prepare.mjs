// Builds where npm makes a package out of a clone. `npm install -g git+<repository>` runs this in a clone without any
// package: its own preparation is a global install as well, which leaves out what a build needs.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The settings of the install that is under way, but for where it puts things: these packages are for the clone alone. */
function localEnvironment() {
  const elsewhere =
    /^npm_config_(?:global|prefix|local_prefix|global_prefix|location|omit|include|production|dry_run)$/i;
  const entries = Object.entries(process.env).filter(([name]) => !elsewhere.test(name));
  return { ...Object.fromEntries(entries), NODE_ENV: 'development' };
}

function hasBuilder() {
  try {
    import.meta.resolve('esbuild');
    return true;
  } catch {
    return false;
  }
}

/**
 * That preparation also puts a link to the clone in the place of the package, whose other packages npm has begun to
 * unpack there, and removes both soon after. What stood there is put back: npm had moved it aside, to a name with a dot.
 * `_PACOTE_NO_PREPARE_` tells this case from `npm link`, whose link is meant to stay.
 */
function giveBackPlace() {
  const {
    _PACOTE_NO_PREPARE_: preparing,
    npm_config_global: global,
    npm_config_global_prefix: prefix,
  } = process.env;
  if (preparing === undefined || global !== 'true' || prefix === undefined) return;
  const modules = join(
    prefix,
    ...(process.platform === 'win32' ? ['node_modules'] : ['lib', 'node_modules']),
  );
  const place = join(modules, 'lectern');
  const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || realpathSync(place) !== realpathSync(root)) return;
  const [aside] = readdirSync(modules).filter((name) => /^\.lectern-[\w-]+$/.test(name));
  rmSync(place);
  if (aside === undefined) mkdirSync(place);
  else renameSync(join(modules, aside), place);
}

// `npm start` and `npm test` build when the install is done.
if (process.env.LECTERN_BUILD_FOLLOWS !== undefined) process.exit();
giveBackPlace();
if (!hasBuilder()) {
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      env: localEnvironment(),
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) throw new Error('npm could not install what the build needs.', { cause: error });
}
const { buildAll } = await import('./build.mjs');
await buildAll();
