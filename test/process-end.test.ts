import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LECTERN } from './support/process-wire.ts';

/** However busy the other threads are, the process leaves as it was told to, and is never taken down by one of them. */

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-end-'));
  const line = 'Words of a [[note 2]] that is #large/enough to take its time, and *then* some more. ';
  for (let at = 0; at < 12; at++)
    writeFileSync(join(home, `note ${at}.md`), `# Note ${at}\n\n${`${line.repeat(8)}\n\n`.repeat(2000)}`);
  for (let at = 0; at < 1200; at++) writeFileSync(join(home, `small ${at}.md`), line);
});

afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A server on a new index; `end` is called after so many ms of indexing. */
async function serving(ms: number, end: (child: ReturnType<typeof spawn>) => unknown): Promise<End> {
  const state = mkdtempSync(join(tmpdir(), 'lectern-end-state-'));
  const child = spawn(process.execPath, [LECTERN, 'mcp', 'serve', '--vault', home, '--state', state]);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  const over = new Promise<End>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stderr })),
  );
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await delay(ms);
  await end(child);
  try {
    return await over;
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

/** All of them in the campaigns (`npm run test:long`); else one at the start and one in the middle of indexing. */
const MOMENTS = process.env.LECTERN_CAMPAIGN ? [150, 500, 900, 1400, 2000] : [150, 900];

describe('a server that is indexing', () => {
  it.each(MOMENTS)('leaves with code 0 when its client hangs up after %i ms', async (ms) => {
    expect(await serving(ms, (child) => child.stdin?.end())).toEqual({ code: 0, signal: null, stderr: '' });
  });

  it.each(MOMENTS)('is ended by a second signal after %i ms, not by an abort', async (ms) => {
    const { code, signal, stderr } = await serving(ms, async (child) => {
      child.kill('SIGTERM');
      await delay(100);
      child.kill('SIGTERM');
    });
    // It may have been done before the second one came.
    expect([code, signal]).toEqual(code === 0 ? [0, null] : [null, 'SIGTERM']);
    expect(stderr).toBe('');
  });
});
