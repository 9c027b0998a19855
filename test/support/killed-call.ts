import { writeSync } from 'node:fs';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { runOperation } from '../../src/operations/call/run.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { openRemoteStore } from '../stores/remote-store.ts';
import { openTestVault } from './test-vault.ts';

/**
 * A process that makes one call and kills itself with SIGKILL at a point of it: after so many of the steps by which a
 * write reaches the store and the journal. `killed-call.mjs <JSON of KilledCall>`; on its standard output is an {@link
 * AnsweredCall}, if the process lived to give it.
 */
export interface KilledCall {
  readonly folder: string;
  readonly state: string;
  /** Of a note server, in place of the folder. */
  readonly url?: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Steps it lives for; 0 = it dies before the first. */
  readonly steps: number;
}

/** What a process says that lived. */
export interface AnsweredCall {
  readonly answer: Readonly<Record<string, unknown>>;
  /** Points at which it could have died. */
  readonly points: number;
}

const STEPS: readonly string[] = [
  ...['create', 'replace', 'setFacts', 'move', 'moveFolder', 'trash', 'remove', 'restore', 'pruneFolders'],
  ...['settle', 'begin', 'record', 'flush', 'finish', 'remember'],
];

export async function makeKilledCall(call: KilledCall): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  const step = (): void => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
  };
  /** Dies after the step that is the last of its life, and before the next one begins. */
  const mortal = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        if (key === 'batch') return () => mortal(value.call(target));
        if (!STEPS.includes(String(key))) return value.bind(target);
        return (...given: unknown[]): unknown => {
          step();
          return value.apply(target, given);
        };
      },
    });
  const { url } = call;
  const vault = await openTestVault(
    {},
    {
      reopen: call,
      wrap: mortal,
      wrapJournal: mortal,
      ...(url !== undefined && { stores: async () => openRemoteStore(url) }),
    },
  );
  const operation = OPERATIONS.find(({ name }) => name === call.operation);
  if (operation === undefined) throw new Error(`There is no ${call.operation}.`);
  left = call.steps;
  const { signal } = new AbortController();
  const context = { signal, progress: () => {}, assistants: () => EXTRACTIVE };
  const answer = await runOperation(operation, vault.session, parseInput(operation, call.input), context);
  step();
  writeSync(1, JSON.stringify({ answer, points: call.steps - left }));
  left = Number.POSITIVE_INFINITY;
  await vault.close();
}
