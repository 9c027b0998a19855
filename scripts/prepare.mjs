// Builds where npm makes a package out of a clone. `npm install -g git+<repository>` runs this in a clone without any
// package: its own preparation is a global install as well, which leaves out what a build needs.
import { spawnSync } from 'node:child_process';
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
