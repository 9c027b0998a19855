import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { runOperation } from '../../src/operations/call/run.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { startNoteServer } from '../stores/note-server.ts';
import { openRemoteStore } from '../stores/remote-store.ts';
import type { AnsweredCall, KilledCall } from './killed-call.ts';
import { discard, openTestVault, type TestVault } from './test-vault.ts';

/**
 * A process is killed with SIGKILL at each point of a write that has an idempotency key, from before its first step to
 * after its answer is remembered. Whoever asks again with the key gets the answer of a call that was not disturbed, and the
 * vault and its history are as after one write.
 */

const run = promisify(execFile);
const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const FILES = {
  'Harbour.md': '---\ntags: [ships]\n---\n# Harbour\n\nThe crane waits, see [[Tides]].\n\n## Plan\n\nLift.\n',
  'Tides.md': '# Tides\n\nSlack water, see [[Harbour#Plan]]. #ships\n',
  'Log/Monday.md': 'Seen from [[Harbour]] and [[Log/Monday]]. #ships/old\n',
  'Log/Tuesday.md': 'Seen from [[Harbour#Plan]]. #ships\n',
  'Log/Wednesday.md': 'Author: Jane Doe\n\nSlack water, see [[Tides]] and [[Harbour]].\n',
  'Board.canvas': '{"nodes":[{"id":"a","type":"file","file":"Harbour.md"}],"edges":[]}',
};

export type WriteCall = readonly [operation: string, input: Record<string, unknown>];

/**
 * They write one note after another, each by itself: after a kill the call is made again for what is left, and says what
 * it finds then. What stands in the vault is the same.
 */
const WRITE_SEVERAL: ReadonlySet<string> = new Set(['ai_tag', 'ai_metadata', 'ai_extract']);

/** Tests of a vault with these writes behind it: 1 made `Draft.md`, 2 `Gone.md`, and 3 deleted `Gone.md`. */
export function describeRetriesAfterKill(calls: readonly WriteCall[]): void {
  let folder: string;
  let program: string;
  let made: TestVault;

  beforeAll(async () => {
    // Where a program finds the packages.
    const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'lectern-killed-'));
    program = join(folder, 'killed-call.mjs');
    await build({
      stdin: {
        contents: `import { makeKilledCall } from './killed-call.ts';
        await makeKilledCall(JSON.parse(process.argv[2]));`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
        loader: 'ts',
      },
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      external: Object.keys(PACKAGE.dependencies),
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      outfile: program,
      logLevel: 'error',
    });
    made = await openTestVault(FILES);
    await made.session.write('Draft.md', { body: 'x\n' }, { tool: 'note_write' });
    await made.session.write('Gone.md', { body: 'y\n' }, { tool: 'note_write' });
    await made.session.remove('Gone.md', { tool: 'note_delete' });
    await made.close();
  });
  afterAll(() => {
    discard(made);
    rmSync(folder, { recursive: true, force: true });
  });

  let copies = 0;
  /** A vault as {@link made}, with a state of its own. */
  function copy(): { folder: string; state: string } {
    const place = join(folder, `copy ${++copies}`);
    cpSync(made.folder, join(place, 'vault'), { recursive: true, preserveTimestamps: true });
    cpSync(made.state, join(place, 'state'), { recursive: true });
    return { folder: join(place, 'vault'), state: join(place, 'state') };
  }

  /** @returns the answer; undefined when the process was killed before it gave one */
  async function callAndDie(call: KilledCall): Promise<AnsweredCall | undefined> {
    try {
      return JSON.parse((await run(process.execPath, [program, JSON.stringify(call)])).stdout);
    } catch (error) {
      if ((error as { signal?: string }).signal === 'SIGKILL') return undefined;
      throw error;
    }
  }

  async function call(vault: TestVault, name: string, input: Record<string, unknown>): Promise<unknown> {
    const operation = OPERATIONS.find((each) => each.name === name);
    if (operation === undefined) throw new Error(`There is no ${name}.`);
    const { signal } = new AbortController();
    const context = { signal, progress: () => {}, assistants: () => EXTRACTIVE };
    return await runOperation(operation, vault.session, parseInput(operation, input), context);
  }

  type Answer = Record<string, unknown>;

  /** Files, what is in them, and folders, empty ones too. */
  const placesIn = ({ folder: root, files }: TestVault): string =>
    JSON.stringify([readdirSync(root, { recursive: true }).sort(), files()]);

  const LIVES = 1000;
  /** Processes at once. */
  const AT_ONCE = 3;
  /**
   * All points in the campaigns (`npm run test:long`); else every third, from another one on for each operation, and the
   * last, at which the answer was remembered and not given.
   */
  const EVERY = process.env.LECTERN_CAMPAIGN ? 1 : 3;
  const some = (points: number, first: number): readonly number[] =>
    Array.from({ length: points }, (_, at) => at).filter(
      (at) => at % EVERY === first % EVERY || at === points - 1,
    );

  describe.each(calls.map((call, nth) => [...call, nth] as const))('%s %j', (operation, given, nth) => {
    it('is done once, however often its process dies', { timeout: 120_000 }, async () => {
      const input = { ...given, idempotency_key: 'k' };
      const undisturbed = copy();
      const lived = await callAndDie({ ...undisturbed, operation, input, steps: LIVES });
      if (lived === undefined) throw new Error(`${operation} has more than ${LIVES} steps.`);
      const { answer, points } = lived;
      // The plan, the change, the end, its flush, the answer.
      expect(points).toBeGreaterThanOrEqual(5);
      const after = await openTestVault({}, { reopen: undisturbed });
      const files = after.files();
      const writes = (await after.session.history({ limit: 1 })).total;
      await after.close();

      const dieAndAskAgain = async (steps: number): Promise<void> => {
        const place = copy();
        const at = `after ${steps} steps`;
        expect(await callAndDie({ ...place, operation, input, steps }), at).toBeUndefined();
        const vault = await openTestVault({}, { reopen: place });
        try {
          // What had not begun is not done, and begins anew under a number of its own.
          const begun = placesIn(vault) !== placesIn(made);
          const again = (await call(vault, operation, input)) as Answer;
          if (!WRITE_SEVERAL.has(operation))
            expect(again, at).toEqual(begun ? answer : { ...answer, write_id: again.write_id });
          expect(await call(vault, operation, input), at).toEqual(again);
          expect(vault.files(), at).toEqual(files);
          expect((await vault.session.history({ limit: 1 })).total, at).toBe(writes);
        } finally {
          await vault.close();
        }
      };
      const steps = [...some(points, nth)];
      while (steps.length > 0) await Promise.all(steps.splice(0, AT_ONCE).map(dieAndAskAgain));
    });
  });

  it('text and facts on a store behind a socket are set once, however often the process dies', {
    timeout: 120_000,
  }, async () => {
    const ops = [
      { op: 'add_tag', tag: 'sea' },
      { op: 'append_body', markdown: 'x' },
    ];
    const input = { path: 'Tides.md', ops, idempotency_key: 'k' };
    const operation = 'note_patch';
    let undisturbed: AnsweredCall | undefined;
    /** @returns the points of the first call, which was not disturbed */
    const dieAndAskAgain = async (steps: number): Promise<number> => {
      const at = `after ${steps} steps`;
      const server = await startNoteServer(FILES);
      const place = join(folder, `remote ${++copies}`);
      mkdirSync(place);
      const remote = { folder: place, state: place, url: server.url };
      const lived = await callAndDie({ ...remote, operation, input, steps });
      undisturbed ??= lived;
      expect(lived, at).toBe(steps === LIVES ? undisturbed : undefined);
      const vault = await openTestVault(
        {},
        { reopen: remote, stores: async () => openRemoteStore(server.url) },
      );
      try {
        const again = (await call(vault, operation, input)) as Answer;
        expect(again, at).toEqual({ ...undisturbed?.answer, write_id: again.write_id });
        const { entry, bytes } = await server.notes.read('Tides.md');
        expect(new TextDecoder().decode(bytes), at).toBe(`${FILES['Tides.md']}x\n`);
        expect(entry.facts, at).toEqual({ tags: ['sea'] });
        expect((await vault.session.history({ limit: 1 })).total).toBe(1);
        await vault.session.undo({ tool: 'test', writeId: Number(again.write_id) });
        expect((await server.notes.stat('Tides.md'))?.facts).toEqual({});
      } finally {
        await vault.close();
        await server.close();
      }
      return undisturbed?.points ?? 0;
    };
    const points = await dieAndAskAgain(LIVES);
    expect(points).toBeGreaterThanOrEqual(5);
    for (const steps of some(points, 0)) await dieAndAskAgain(steps);
  });
}
