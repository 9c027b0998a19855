import { parseInput } from '../../src/operations/call/input.ts';
import { runOperation } from '../../src/operations/call/run.ts';
import { summaryOf } from '../../src/operations/call/summary.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { VaultSession } from '../../src/vault/session.ts';

/** What an operation answers a session, as a door would run it. */
export async function answerOf(
  session: VaultSession,
  name: string,
  given: Record<string, unknown>,
): Promise<{ readonly output: Record<string, unknown>; readonly summary: string }> {
  const operation = OPERATIONS.find((each) => each.name === name);
  if (operation === undefined) throw new Error(`There is no ${name}.`);
  const input = parseInput(operation, given);
  const context = { signal: new AbortController().signal, progress: () => {} };
  const output = await runOperation(operation, session, input, context);
  return { output, summary: summaryOf(operation, output, input) };
}
