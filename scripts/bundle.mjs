// Makes lectern.mcpb, which Claude Desktop installs by a double click: the program, its packages with the native parts of
// every platform, and the form for its settings (packaging/mcpb). Format: the MCPB manifest specification, version 0.3.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildAll } from './build.mjs';
import { installPinned, npm, PATIENCE } from './pinned.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What Claude Desktop and other hosts of bundles run on; of Linux both C libraries. */
export const PLATFORMS = [
  { os: 'darwin', cpu: 'arm64' },
  { os: 'darwin', cpu: 'x64' },
  { os: 'win32', cpu: 'arm64' },
  { os: 'win32', cpu: 'x64' },
  { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { os: 'linux', cpu: 'arm64', libc: 'musl' },
  { os: 'linux', cpu: 'x64', libc: 'glibc' },
  { os: 'linux', cpu: 'x64', libc: 'musl' },
];

/** Of the packages, what only compiling or reading needs. */
const NEEDLESS = [
  '**/*.d.ts',
  '**/*.d.cts',
  '**/*.d.mts',
  '**/*.map',
  '**/*.c',
  '**/*.cc',
  '**/*.cpp',
  '**/*.h',
  '**/*.hh',
  '**/*.mm',
  '**/*.gyp',
  '**/node_modules/**/*.md',
  '**/node-addon-api/',
];

/** The validator and packer of bundles, by those who made the format. */
export async function mcpbTool() {
  const folder = await installPinned(join(root, 'packaging', 'mcpb-tool'));
  return await import(pathToFileURL(join(folder, 'node_modules/@anthropic-ai/mcpb/dist/index.js')).href);
}

/**
 * @param {string} file where the bundle goes
 * @param platforms whose native parts go in
 * @throws Error when a package cannot be installed, or the validator refuses the bundle
 */
export async function makeBundle(file, platforms = PLATFORMS) {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bundle-'));
  try {
    await stage(folder, platforms);
    const { packExtension } = await mcpbTool();
    mkdirSync(dirname(file), { recursive: true });
    const packed = await packExtension({ extensionPath: folder, outputPath: file, silent: true });
    if (!packed) throw new Error('The bundle is not valid; its validator said why.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stage(folder, platforms) {
  await buildAll();
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(root, 'packaging/mcpb/manifest.json'), 'utf8'));
  const { version, description, license, engines } = about;
  manifest.compatibility.runtimes = engines;
  writeFileSync(
    join(folder, 'manifest.json'),
    `${JSON.stringify({ ...manifest, version, description, license }, null, 2)}\n`,
  );
  writeFileSync(join(folder, '.mcpbignore'), NEEDLESS.map((pattern) => `${pattern}\n`).join(''));
  cpSync(join(root, 'packaging/mcpb/icon.png'), join(folder, 'icon.png'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const server = join(folder, 'server');
  mkdirSync(server);
  cpSync(join(root, 'package.json'), join(server, 'package.json'));
  cpSync(join(root, 'dist'), join(server, 'dist'), {
    recursive: true,
    // Source maps, and what the build keeps for itself.
    filter: (path) => !/(?:\.map|[\\/]\.[^\\/]+)$/.test(path),
  });
  await installPackages(join(server, 'node_modules'), platforms);
}

/** Installs for all platforms at once, and puts together what each of them got. */
async function installPackages(target, platforms) {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-packages-'));
  try {
    const installed = await Promise.all(
      platforms.map((platform) => installFor(platform, join(folder, Object.values(platform).join('-')))),
    );
    for (const packages of installed) {
      cpSync(packages, target, {
        recursive: true,
        filter: (path) => !path.endsWith('.package-lock.json') && !path.endsWith('.bin'),
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installFor(platform, folder) {
  mkdirSync(folder);
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, name), join(folder, name));
  const flags = Object.entries(platform).map(([name, value]) => `--${name}=${value}`);
  await npm(
    ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--loglevel=error', ...flags, ...PATIENCE],
    folder,
  );
  return join(folder, 'node_modules');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = resolve(process.argv[2] ?? join(root, 'lectern.mcpb'));
  await makeBundle(file);
  console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
}
