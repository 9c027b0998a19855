import type * as z from 'zod';
import { isLecternError, LecternError } from '../../errors.ts';
import type { VaultSession } from '../../vault/session.ts';
import { type Operation, type OperationContext, writesWith } from '../operation.ts';
import { isAwayNotice, withIndexNotice } from '../shared/fields.ts';
import { needsAssistant, noAssistant } from './assistants.ts';
import { InputNeeded } from './dialogue.ts';
import { failedCall } from './failed-call.ts';
import { inTime } from './limit.ts';

/**
 * Runs an operation for a session, or replays the answer to the same earlier call: writes by their
 * `idempotency_key`, reads while nothing changed. Ends when the time is up or the caller cancels; a failed
 * call is reported to the audit log.
 *
 * @throws LecternError as the operation does; `timeout`; the signal's reason
 */
export async function runOperation(
  operation: Operation,
  vault: VaultSession,
  input: z.output<z.ZodObject>,
  context: OperationContext,
): Promise<z.output<z.ZodObject>> {
  try {
    return await inTime(operation, context.signal, (signal) =>
      runOrReplay(
        operation,
        vault.until(signal),
        input,
        withAssistant(operation, vault, { ...context, signal }),
      ),
    );
  } catch (error) {
    // A call that asks the client questions has not failed; it is run again.
    if (error instanceof InputNeeded) throw error;
    vault.failed(failedCall(operation, input, error));
    throw error;
  }
}

/** @throws LecternError `ai_unavailable` */
function withAssistant(
  operation: Operation,
  vault: VaultSession,
  context: OperationContext,
): OperationContext {
  if (!needsAssistant(operation)) return context;
  if (context.assistants === undefined) throw noAssistant();
  const { signal, dialogue } = context;
  return {
    ...context,
    assistant: context.assistants({
      signal,
      dialogue,
      sent: (request) => vault.sent(operation.name, request),
    }),
  };
}

function runOrReplay(
  operation: Operation,
  vault: VaultSession,
  input: z.output<z.ZodObject>,
  context: OperationContext,
): Promise<z.output<z.ZodObject>> {
  const runFor = (session: VaultSession) =>
    needsIndex(operation, input)
      ? runOnIndex(operation, session, input, context)
      : runOnStore(operation, session, input, context);
  const run = () => runFor(vault);
  if (!writesWith(operation, input)) {
    // A change in the store may not have been noticed yet.
    if (operation.answersFrom !== 'index' || vault.staleness() !== undefined) return run();
    // An assistant caches answers itself, by the caller's `cache`.
    if (context.assistant !== undefined) return run();
    // A client's answer is not part of the input by which answers are cached.
    if (context.dialogue?.answers !== undefined) return run();
    return vault.replayRead(operation.name, input, runFor);
  }
  const { idempotency_key: key, ...rest } = input;
  if (typeof key !== 'string' || rest.dry_run === true) return run();
  return vault.replayWrite(key, operation.name, rest, runFor);
}

/** Whether this call's answer contains data from the index. */
export function needsIndex({ answersFrom, asksIndex }: Operation, input: z.output<z.ZodObject>): boolean {
  return answersFrom === 'index' || asksIndex?.(input) === true;
}

async function runOnIndex(
  operation: Operation,
  vault: VaultSession,
  input: z.output<z.ZodObject>,
  context: OperationContext,
): Promise<z.output<z.ZodObject>> {
  await vault.untilIndexed(context.signal);
  // Read before the call: the answer is at least as complete as the index was then.
  const staleness = vault.staleness();
  try {
    const output = await operation.run(vault, input, context);
    return withIndexNotice(output, awayNotice(vault) ?? staleness);
  } catch (error) {
    throw staleness === undefined ? error : notFoundYet(error, staleness);
  }
}

/**
 * Runs an operation on the store. While the server of the notes does not answer, texts come from the index,
 * and a notice says so.
 */
async function runOnStore(
  operation: Operation,
  vault: VaultSession,
  input: z.output<z.ZodObject>,
  context: OperationContext,
): Promise<z.output<z.ZodObject>> {
  const output = await operation.run(vault, input, context);
  const hasNotice = 'notice' in operation.output.shape;
  if (operation.answersFrom !== 'store' || operation.effects !== 'reads' || !hasNotice) return output;
  return withIndexNotice(output, awayNotice(vault));
}

/** Called after the run: a read may have been the first to notice that the server does not answer. */
function awayNotice(vault: VaultSession): string | undefined {
  const staleness = vault.staleness();
  return isAwayNotice(staleness) ? staleness : undefined;
}

/**
 * While the index is being built, a note that it does not contain may still exist: adds that to the error.
 */
function notFoundYet(error: unknown, staleness: string): unknown {
  if (!isLecternError(error) || error.code !== 'not_found' || error.message.includes(staleness)) return error;
  const { message, details, next } = error;
  return new LecternError(
    'not_found',
    `${staleness}. ${message.replace(/\bNo note\b/, 'No note indexed so far')}`,
    {
      details,
      next: `Call again in a few seconds.${next === undefined ? '' : ` ${next}`}`,
    },
  );
}
