import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CALL_GRACE_MS, CALL_MS } from '../../src/budgets.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { writeTree } from '../support/write-tree.ts';
import { type Arguments, hostileCalls } from './hostile-calls.ts';
import { hostileVault } from './hostile-vault.ts';
import { type Door, MeasuredServer } from './measured-server.ts';

/**
 * Processor time that a call may keep the server's thread busy at once, ms: twice what is aimed at, as other programs
 * on a machine make every instruction slower.
 */
const MOST_TURN_MS = 200;

/** Characters of an answer: the SDK's client ends a connection over stdio whose message has 10 MB. */
const MOST_ANSWER = 5_000_000;

export interface CampaignOptions {
  readonly door: Door;
  /** Calls of every operation. */
  readonly calls: number;
  readonly seed: number;
  /** Of the vault's notes: 1 is the whole. */
  readonly scale: number;
  readonly only?: readonly string[];
  readonly note?: (line: string) => void;
}

export interface CampaignOutcome {
  readonly calls: number;
  /** Calls that were neither answered nor clearly refused in their time. */
  readonly wrong: readonly string[];
  /** Calls that kept the server's thread busy for too long, every time they were made. */
  readonly holding: readonly string[];
  readonly longestTurnMs: number;
  readonly longestPingMs: number;
  readonly slowest: { readonly ms: number; readonly call: string };
  readonly peakMegabytes: number;
}

const CLEAR = new Set([
  'not_found',
  'conflict',
  'ambiguous',
  'exists',
  'invalid_path',
  'invalid_input',
  'forbidden',
  'too_large',
  'read_only',
  'timeout',
]);

export async function campaign(options: CampaignOptions): Promise<CampaignOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-budget-'));
  writeTree(join(folder, 'vault'), hostileVault(options.scale));
  const server = await MeasuredServer.open(options.door, folder);
  try {
    return await drive(server, options);
  } catch (error) {
    throw new Error(`The server left: ${server.stderr.slice(-2000)}`, { cause: error });
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Answer {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: { readonly code?: string; readonly index?: string };
}

async function drive(
  server: MeasuredServer,
  { door, calls, seed, only, note = () => {} }: CampaignOptions,
): Promise<CampaignOutcome> {
  const { client } = server;
  const call = async (name: string, args: Arguments, limitMs = CALL_MS): Promise<Answer> =>
    (await client.callTool(
      { name, arguments: args },
      { timeout: limitMs + 2 * CALL_GRACE_MS, maxTotalTimeout: limitMs + 2 * CALL_GRACE_MS },
    )) as Answer;
  while ((await call('vault_status', {})).structuredContent?.index !== 'ready')
    await new Promise((resolve) => setTimeout(resolve, 50));

  const wrong: string[] = [];
  const holding: string[] = [];
  let [made, longestTurnMs, longestPingMs] = [0, 0, 0];
  let slowest = { ms: 0, call: '' };
  /** Asks for a sign of life, over and over, until the work is done. */
  const pinging = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    while (!isDone) {
      const from = performance.now();
      await client.ping();
      longestPingMs = Math.max(longestPingMs, performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return work;
  };
  // The first calls load and compile what they need.
  for (const [name, args] of WARM_UP) await call(name, args);
  await server.longestTurn();
  longestPingMs = 0;

  const measured = async (operation: Operation, args: Arguments, shown: string) => {
    const from = performance.now();
    const answer = await pinging(
      call(operation.name, args, operation.limitMs).catch((error: Error) => error),
    );
    const ms = performance.now() - from;
    const isOffered = door === 'http' || operation.scope !== 'vault:admin';
    const complaint = isOffered ? complaintAbout(answer) : undefined;
    if (complaint !== undefined) wrong.push(`${shown}: ${complaint}`);
    const length = answer instanceof Error ? 0 : JSON.stringify(answer).length;
    if (length > MOST_ANSWER) wrong.push(`${shown}: an answer of ${length} characters`);
    return { ms, turn: await server.longestTurn(), answer };
  };
  for (const operation of OPERATIONS) {
    if (only && !only.includes(operation.name)) continue;
    const most = { turn: 0, ms: 0, call: '' };
    const began = performance.now();
    for (const args of hostileCalls(operation.name, calls, seed)) {
      made += 1;
      const shown = `${operation.name} ${shortened(args)}`;
      const { ms, turn, answer } = await measured(operation, args, shown);
      if (ms > 2000) note(`SLOW ${ms.toFixed(0)} ms: ${shown} → ${saidOf(answer).slice(0, 100)}`);
      if (ms > slowest.ms) slowest = { ms, call: shown };
      most.ms = Math.max(most.ms, ms);
      // Once may be the collector of garbage or the compiler: what the call itself does, it does again.
      let least = turn;
      // Not when it is far too much: the second answer may be the first one again.
      const repeats = turn < 2 * MOST_TURN_MS && (operation.effects === 'reads' || args.dry_run === true);
      for (let again = 0; again < 3 && least > MOST_TURN_MS && repeats; again += 1)
        least = Math.min(least, (await measured(operation, args, shown)).turn);
      if (least > most.turn) Object.assign(most, { turn: least, call: shown });
      longestTurnMs = Math.max(longestTurnMs, least);
      if (least > MOST_TURN_MS)
        holding.push(
          `${least.toFixed(0)} ms (${ms.toFixed(0)} ms in all): ${shown} → ${saidOf(answer).slice(0, 120)}`,
        );
    }
    note(
      `${door} ${operation.name}: at most ${most.turn.toFixed(0)} ms at once, ${most.ms.toFixed(0)} ms in all; ${((performance.now() - began) / 1000).toFixed(1)} s; peak ${server.peakMegabytes().toFixed(0)} MiB; ping ${longestPingMs.toFixed(0)} ms; ${most.call}`,
    );
  }
  return {
    calls: made,
    wrong,
    holding,
    longestTurnMs,
    longestPingMs,
    slowest,
    peakMegabytes: server.peakMegabytes(),
  };
}

const WARM_UP: readonly (readonly [string, Arguments])[] = [
  ['vault_search', { q: 'word lorem', mode: 'hybrid' }],
  ['vault_search', { q: '/lor.m/', mode: 'lexical' }],
  [
    'note_read',
    { path: 'Small.md', include: ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'] },
  ],
  ['note_list', { frontmatter: { status: 's1' } }],
  ['base_query', { source: 'filters: status == "s1"' }],
  ['note_patch', { path: 'Small.md', ops: [{ op: 'append_body', markdown: 'x' }], dry_run: true }],
  ['note_move', { from: 'scratch/S1.md', to: 'scratch/T1.md', dry_run: true }],
  ['tag_rename', { from: 'scratch', to: 'scratched', dry_run: true }],
];

function complaintAbout(answer: Answer | Error): string | undefined {
  if (answer instanceof Error) {
    // Wrong arguments may be refused by the protocol, and what is too large by the door.
    return /invalid params|invalid arguments|more than \d+ values|larger than \d+ bytes/i.test(answer.message)
      ? undefined
      : `${answer.name}: ${answer.message.slice(0, 200)}`;
  }
  const text = saidOf(answer);
  if (answer.isError !== true)
    return answer.structuredContent === undefined ? 'no structured answer' : undefined;
  const code = answer.structuredContent?.code ?? /"code":\s*"(\w+)"/.exec(text)?.[1];
  return code !== undefined && CLEAR.has(code) ? undefined : `an error: ${text.slice(0, 200)}`;
}

function saidOf(answer: Answer | Error): string {
  return answer instanceof Error ? answer.message : (answer.content?.[0]?.text ?? '');
}

function shortened(value: unknown, depth = 0): string {
  if (typeof value === 'string')
    return value.length <= 60
      ? JSON.stringify(value)
      : `${JSON.stringify(value.slice(0, 40))}… (${value.length})`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > 4) return '…';
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, 6)
    .map(([key, one]) => (Array.isArray(value) ? '' : `${key.slice(0, 30)}: `) + shortened(one, depth + 1));
  const rest = entries.length > shown.length ? `, … (${entries.length})` : '';
  const inner = `${shown.join(', ')}${rest}`.slice(0, 400);
  return Array.isArray(value) ? `[${inner}]` : `{ ${inner} }`;
}
