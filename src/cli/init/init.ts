import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { isLecternError, LecternError } from '../../errors.ts';
import type { Command, McpClient } from '../clients/client.ts';
import { withEntry } from '../clients/entry-file.ts';
import { type Places, placesOf } from '../clients/places.ts';
import { CLIENTS } from '../clients/table.ts';
import { EXIT } from '../commands/exit-codes.ts';
import { DemoClient } from '../demo-client.ts';
import { removeEmpty } from '../made-folders.ts';
import { chooseClients, chooseGrant, grantArguments, type InitFlags } from './choices.ts';
import { type FilePlan, planEntry, planRemoval, writeEntry, writeRemoval } from './client-file.ts';
import { Questions } from './questions.ts';
import { Records } from './records.ts';
import { serverProgram } from './server-program.ts';

/** The result for one client. */
interface Outcome {
  readonly client: McpClient;
  readonly file: string;
  readonly state: 'added' | 'changed' | 'unchanged' | 'removed' | 'absent' | 'refused';
  readonly backup?: string;
  readonly problem?: LecternError;
  readonly plan?: FilePlan;
}

/** Longest time for a server's first answer, ms. */
const CHECK_MS = 60_000;
const TRIES = 3;

/**
 * Sets up clients for the user's notes, or reverts that. A failure for one client is printed and sets the exit
 * code.
 *
 * @throws LecternError when nothing could be done: `invalid_input` for missing or wrong flags, `unavailable`
 *   when the server does not start, `forbidden` when the user quits
 */
export async function runInit(flags: InitFlags): Promise<void> {
  const isAsking = process.stdin.isTTY === true && process.stdout.isTTY === true && flags.json !== true;
  if (!isAsking && !flags.yes && !flags.dryRun && !flags.print)
    throw new LecternError('invalid_input', 'There is nobody to ask here.', {
      next: 'Add --yes to write, or --dry-run to see what would be written.',
    });
  const questions = isAsking && !flags.yes ? new Questions() : undefined;
  try {
    const places = placesOf(process.env);
    if (flags.remove) await remove(flags, places, questions);
    else await setUp(flags, places, questions);
  } finally {
    questions?.close();
  }
}

async function setUp(flags: InitFlags, places: Places, questions: Questions | undefined): Promise<void> {
  const grant = await chooseGrant(flags, places, questions);
  const clients = await chooseClients(flags, places, questions);
  const program = serverProgram();
  const command: Command = [...program.command, ...grantArguments(grant, flags.config)];
  if (flags.print) return printEntries(clients, places, command);
  const planned = await planAll(clients, places, (client, file) => planEntry(client, file, command), stateOf);
  const told = { command, warnings: program.warnings };
  if (flags.dryRun) return report(flags, planned, told);
  await checkAnswers(command);
  if (questions !== undefined && !(await isConfirmed(planned, questions))) return say('Nothing was written.');
  const records = new Records(places.environment);
  const outcomes = await writeAll(planned, async (outcome) => {
    const backup = await tryAgain(
      () => planEntry(outcome.client, outcome.file, command),
      (plan) => writeEntry(plan, records),
    );
    return { ...outcome, ...(backup !== undefined && { backup }) };
  });
  report(flags, outcomes, told);
}

async function remove(flags: InitFlags, places: Places, questions: Questions | undefined): Promise<void> {
  const clients = flags.client?.length ? await chooseClients(flags, places, questions) : CLIENTS;
  const records = new Records(places.environment);
  const planned = await planAll(
    clients,
    places,
    (client, file) => planRemoval(client, file, records),
    ({ before, after, file }) => (before === after && records.get(file) === undefined ? 'absent' : 'removed'),
  );
  if (flags.dryRun) return report(flags, planned, undefined);
  if (questions !== undefined && !(await isConfirmed(planned, questions))) return say('Nothing was changed.');
  const folders = new Set<string>();
  const outcomes = await writeAll(planned, async (outcome) => {
    const made = await tryAgain(
      () => planRemoval(outcome.client, outcome.file, records),
      (plan) => writeRemoval(plan, records),
    );
    for (const folder of made) folders.add(folder);
    return outcome;
  });
  for (const folder of [...folders].sort((one, other) => other.length - one.length)) removeEmpty(folder);
  report(flags, outcomes, undefined);
}

function stateOf({ before, after, inserted }: FilePlan): Outcome['state'] {
  if (before === after) return 'unchanged';
  return inserted === undefined ? 'changed' : 'added';
}

/** Plans the change of every client's file; an error of one becomes its outcome. */
async function planAll(
  clients: readonly McpClient[],
  places: Places,
  planOne: (client: McpClient, file: string) => Promise<FilePlan>,
  stateOfPlan: (plan: FilePlan) => Outcome['state'],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const client of clients) {
    const file = client.file(places);
    outcomes.push(
      await orRefused({ client, file, state: 'refused' }, async () => {
        const plan = await planOne(client, file);
        return { client, file, state: stateOfPlan(plan), plan };
      }),
    );
  }
  return outcomes;
}

async function writeAll(
  planned: readonly Outcome[],
  write: (outcome: Outcome) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const outcome of planned) {
    const isDue = !['unchanged', 'absent', 'refused'].includes(outcome.state);
    outcomes.push(isDue ? await orRefused(outcome, () => write(outcome)) : outcome);
  }
  return outcomes;
}

async function orRefused(outcome: Outcome, run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (!isLecternError(error)) throw error;
    return { ...outcome, state: 'refused', problem: error };
  }
}

/** Plans and writes again after a conflict, as a running client may write its file at the same time. */
async function tryAgain<P, T>(plan: () => Promise<P>, write: (plan: P) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const ready = await plan();
    try {
      return await write(ready);
    } catch (error) {
      if (tries === TRIES || !isLecternError(error) || error.code !== 'conflict') throw error;
    }
  }
}

/**
 * Starts the command once, with a temporary state folder.
 *
 * @throws LecternError `unavailable` when it does not answer
 */
async function checkAnswers([program, ...args]: Command): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), 'lectern-init-'));
  let timer: NodeJS.Timeout | undefined;
  const client = new DemoClient([program, ...args, '--state', state, '--log-level', 'error']);
  try {
    const tooLong = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new LecternError('timeout', 'no answer')), CHECK_MS);
    });
    await Promise.race([client.handshake(), tooLong]);
  } catch (cause) {
    throw new LecternError('unavailable', 'The server does not start with that. Nothing was written.', {
      cause,
      next: 'See what it says above; the same with lectern mcp serve.',
    });
  } finally {
    clearTimeout(timer);
    await client.close();
    await rm(state, { recursive: true, force: true });
  }
}

async function isConfirmed(planned: readonly Outcome[], questions: Questions): Promise<boolean> {
  say(planned.map(summary).join('\n'));
  const due = planned.filter(({ plan }) => plan !== undefined && plan.before !== plan.after);
  if (due.length === 0) return true;
  if (await questions.yes('See every line that changes?', false)) say(due.map(diffOf).join('\n'));
  return await questions.yes('Write this?', true);
}

function report(
  flags: InitFlags,
  outcomes: readonly Outcome[],
  told: { command: Command; warnings: readonly string[] } | undefined,
): void {
  if (outcomes.some(({ state }) => state === 'refused')) process.exitCode = EXIT.failed;
  if (flags.json) {
    say(JSON.stringify(asJson(flags, outcomes, told), undefined, 2));
    return;
  }
  if (flags.dryRun) {
    const diffs = outcomes.map(diffOf).filter((diff) => diff !== '');
    if (diffs.length > 0) say(diffs.join('\n'));
  }
  const shown = outcomes.filter(({ state }) => state !== 'absent');
  say(
    shown.length === 0
      ? 'Nothing of Lectern is in the settings of any client.'
      : shown.map(summary).join('\n'),
  );
  for (const warning of told?.warnings ?? []) say(`Mind: ${warning}`);
  if (flags.dryRun) {
    say('Nothing was written.');
    return;
  }
  const written = outcomes.filter(({ state }) => state === 'added' || state === 'changed');
  if (written.length === 0) return;
  if (written.some(({ backup }) => backup !== undefined))
    say('Each file as it was is beside it, with .lectern-backup behind its name.');
  say(`\nNext:\n${written.map(({ client }) => `  ${client.name}: ${client.afterwards}`).join('\n')}`);
  say('\nlectern init --remove takes all of it back.');
}

function summary({ client, file, state, problem }: Outcome): string {
  const line = `${state.padEnd(9)}  ${client.name.padEnd(15)}  ${file}`;
  return problem === undefined
    ? line
    : `${line}\n           ${problem.message} ${problem.next ?? ''}`.trimEnd();
}

function diffOf({ file, plan }: Outcome): string {
  if (plan === undefined || plan.before === plan.after) return '';
  const patch = createTwoFilesPatch(
    plan.before === undefined ? '/dev/null' : file,
    plan.after === undefined ? '/dev/null' : file,
    plan.before ?? '',
    plan.after ?? '',
    undefined,
    undefined,
    { context: 2 },
  );
  return patch.replace(/^(?:Index: .*\n)?=+\n/, '').replace(/\t$/gm, '');
}

function asJson(
  flags: InitFlags,
  outcomes: readonly Outcome[],
  told: { command: Command; warnings: readonly string[] } | undefined,
) {
  return {
    dry_run: flags.dryRun === true,
    ...told,
    clients: outcomes.map((outcome) => ({
      client: outcome.client.id,
      file: outcome.file,
      state: outcome.state,
      ...(outcome.backup !== undefined && { backup: outcome.backup }),
      ...(outcome.problem !== undefined && {
        error: {
          code: outcome.problem.code,
          message: outcome.problem.message,
          next: outcome.problem.next,
        },
      }),
      ...(flags.dryRun && { diff: diffOf(outcome) }),
      ...(/added|changed/.test(outcome.state) && { next: outcome.client.afterwards }),
    })),
  };
}

/** Prints each file's entry, for editing by hand. */
function printEntries(clients: readonly McpClient[], places: Places, command: Command): void {
  for (const client of clients) {
    const file = client.file(places);
    say(`${client.name} (${file}):\n${withEntry(client, file, undefined, command).text}`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
