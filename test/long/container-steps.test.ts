import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { dockerfileStages, environmentOf, type Instruction, ROOT } from '../support/dockerfile.ts';
import { freePort } from '../support/free-port.ts';

/**
 * The steps of the Dockerfile, carried out in empty folders instead of containers: the same copies, the same
 * commands, the same start and health check. What it cannot show: the base image, its user, a read-only root.
 */

const ONLY_IN_IMAGES = /^(mkdir|chown) /;

/** @param from the folders of earlier stages, by name */
function carryOut(
  stage: readonly Instruction[],
  folder: string,
  from: Readonly<Record<string, string>>,
): void {
  for (const { keyword, words, text, flags } of stage) {
    if (keyword === 'COPY') {
      const target = words.at(-1) ?? '.';
      const earlier = from[flags.from ?? ''];
      for (const source of words.slice(0, -1)) {
        // `/src/dist` of an earlier stage is `dist` in its folder.
        const place =
          earlier === undefined ? join(ROOT, source) : join(earlier, source.replace(/^\/[^/]+\//, ''));
        const to = target.endsWith('/') ? join(folder, basename(source)) : join(folder, target);
        cpSync(place, to, { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
      }
    }
    if (keyword === 'RUN' && !ONLY_IN_IMAGES.test(text)) {
      execFileSync('sh', ['-c', text], { cwd: folder, stdio: 'pipe' });
    }
  }
}

it('what the Dockerfile builds starts, lets a token in, and is healthy', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lectern-image-'));
  const [src, app, vault, state] = ['src', 'app', 'vault', 'state'].map((name) => join(home, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [src, app, vault, state]) mkdirSync(folder);
  writeFileSync(join(vault, 'Note.md'), '# Note\n');
  try {
    const [build = [], final = []] = dockerfileStages();
    carryOut(build, src, {});
    carryOut(final, app, { build: src });
    expect(readdirSync(app).toSorted()).toEqual(['LICENSE', 'dist', 'node_modules', 'package.json']);
    const port = String(await freePort());
    const env = {
      PATH: process.env.PATH ?? '',
      ...environmentOf(final),
      LECTERN_VAULT: vault,
      LECTERN_STATE: state,
      LECTERN_HOST: '127.0.0.1',
      LECTERN_PORT: port,
    };
    const words = (keyword: string) =>
      final.find((instruction) => instruction.keyword === keyword)?.words ?? [];
    const [program = '', ...start] = words('ENTRYPOINT');
    const token = execFileSync(program, [...start, 'token', 'create', '--name', 'Laptop'], { cwd: app, env })
      .toString()
      .trim();
    const server = spawn(program, [...start, ...words('CMD')], { cwd: app, env });
    try {
      await new Promise<void>((resolve, reject) => {
        server.stderr.on('data', (data) => /serving/.test(String(data)) && resolve());
        server.once('exit', () => reject(new Error('It did not start.')));
      });
      const note = await fetch(`http://127.0.0.1:${port}/v1/notes/Note.md`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(await note.text()).toContain('# Note');
      const [check = '', ...rest] = words('HEALTHCHECK');
      execFileSync(check, rest, { cwd: app, env });
    } finally {
      const left = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      expect(await left).toBe(0);
    }
    const [healthy = '', ...dead] = words('HEALTHCHECK');
    expect(() => execFileSync(healthy, dead, { cwd: app, env, stdio: 'pipe' })).toThrow();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
