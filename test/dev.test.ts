import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The addresses a program says it listens at, one after the other. */
async function* addresses(child: ChildProcess): AsyncGenerator<string> {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    for (const line of said.split('\n').slice(0, -1)) {
      const [, url] = / at (https?:\S+)\/mcp /.exec(line) ?? [];
      if (url !== undefined) yield url;
    }
    said = said.slice(said.lastIndexOf('\n') + 1);
  }
}

const isReachable = (url: string) =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

it('npm run dev starts what is asked, and again when a source changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-dev-'));
  const args = ['serve', '--no-auth', '--port', '0', '--vault', folder, '--state', join(folder, 'state')];
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'dev.mjs'), ...args], { cwd: ROOT });
  const seen = addresses(child);
  const first = String((await seen.next()).value);
  expect(await isReachable(first)).toBe(true);
  utimesSync(join(ROOT, 'src', 'main.ts'), new Date(), new Date());
  const second = String((await seen.next()).value);
  expect([await isReachable(first), await isReachable(second)]).toEqual([false, true]);
  child.kill('SIGTERM');
  await once(child, 'exit');
  await expect.poll(() => isReachable(second), { timeout: 20_000 }).toBe(false);
  rmSync(folder, { recursive: true, force: true });
}, 120_000);
