import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpAddress, LECTERN } from './support/process-wire.ts';

/**
 * What others make of the API's description: a generator of other hands writes a client from the
 * /openapi.json of a running server, a program uses it for every route, the compiler checks the program.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lectern-client-'));
const vault = join(folder, 'vault');
const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
const NOTES = {
  'All.base': 'filters: file.ext == "md"\n',
  'Harbour.md':
    '---\nstatus: open\ntags: [sea]\n---\n# Harbour\n\nSee [[Tide table]] and [[Lost]].\n\n## Plan\n\nLift.\n',
  'Tide table.md': '# Tides\n\n- [ ] Moor 📅 2026-03-04\n',
  'a b/q?x #1 100%.md': 'crane\n',
  'Alone.md': 'Nobody.\n',
};

let server: ChildProcess;
let url: string;
let token: string;

beforeAll(async () => {
  for (const [path, text] of Object.entries(NOTES)) {
    mkdirSync(dirname(join(vault, path)), { recursive: true });
    writeFileSync(join(vault, path), text);
  }
  const made = run([
    LECTERN,
    'token',
    'create',
    '--vault',
    vault,
    '--name',
    'client',
    '--scope',
    'vault:admin',
  ]);
  token = /lectern_\S+/.exec(made.stdout)?.[0] ?? '';
  server = spawn(
    process.execPath,
    [LECTERN, 'serve', '--vault', vault, '--port', '0', '--rate-limit', '0', '--ai-provider', 'builtin'],
    {
      env,
    },
  );
  url = (await httpAddress(server)).replace(/\/mcp$/, '');
});

afterAll(async () => {
  const left = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await left;
  rmSync(folder, { recursive: true, force: true });
});

function run(args: readonly string[]) {
  return spawnSync(process.execPath, args, { env, cwd: folder, encoding: 'utf8' });
}

interface Description {
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
}

it('a generated client calls every route, as its types say', async () => {
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as Description &
    Record<string, unknown>;
  expect(await new Validator().validate(structuredClone(description))).toMatchObject({ valid: true });

  const place = join(folder, 'client');
  mkdirSync(place);
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'), 'junction');
  writeFileSync(join(place, 'openapi.json'), JSON.stringify(description));
  const generator = join(ROOT, 'node_modules', 'oazapfts', 'dist', 'cli.js');
  const generated = run([generator, join(place, 'openapi.json'), join(place, 'client.ts')]);
  expect([generated.status, generated.stderr]).toEqual([0, '']);

  const program = join(place, 'calls.ts');
  copyFileSync(join(ROOT, 'test', 'fixtures', 'openapi-client', 'calls.ts'), program);
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(place, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        target: 'ES2023',
        lib: ['ES2023', 'DOM'],
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        types: [],
        allowImportingTsExtensions: true,
        skipLibCheck: true,
      },
      files: ['calls.ts'],
    }),
  );
  const checked = run([join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', place]);
  expect(checked.stdout).toBe('');
  expect(checked.status).toBe(0);

  await build({
    entryPoints: [program],
    outfile: join(place, 'calls.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  const { callEverything } = (await import(pathToFileURL(join(place, 'calls.mjs')).href)) as {
    callEverything(base: string, token: string, request: typeof fetch): Promise<Record<string, string>>;
  };
  const called = new Set<string>();
  const failures = await callEverything(url, token, async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    const operation = operationFor(description, request.method, new URL(request.url).pathname);
    if (response.ok && operation !== undefined) called.add(operation);
    return response;
  });
  expect(failures).toEqual({});
  const routes = Object.values(description.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect([...called].sort()).toEqual(routes.sort());
}, 120_000);

/** By the path templates of the description: the more of a template is text, the closer it is. */
function operationFor({ paths }: Description, method: string, pathname: string): string | undefined {
  const plain = (template: string) => template.replace(/\{\w+\}/g, '');
  const [item] = Object.entries(paths)
    .filter(([template]) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
    .sort(([a], [b]) => plain(b).length - plain(a).length)
    .map(([, found]) => found);
  return item?.[method.toLowerCase()]?.operationId;
}
