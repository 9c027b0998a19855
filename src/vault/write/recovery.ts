import type { Journal, JournalGroup, JournalStep, StepOutcome } from '../../journal/journal.ts';
import { baseName, stem } from '../../notes/path.ts';
import type { Store } from '../../stores/store.ts';
import type { EndedWrite } from '../audit.ts';

import { asLecternError } from './failed-step.ts';
import { unclearAnswer } from './repeated.ts';
import { applyStep, type StepState, stepState } from './steps.ts';
import { notUpdated } from './write-plan.ts';

export interface RecoveryParts {
  readonly store: Store;
  readonly journal: Journal;
  readonly log: (level: 'warn' | 'error', message: string) => void;
  readonly ended?: (write: EndedWrite) => void;
}

/**
 * Closes a group that a crash interrupted. When no step was applied, the group counts as not done: the caller
 * got no answer and will retry. Otherwise the remaining steps are applied to notes that were not changed
 * since, and the stored answer names the steps that were left out. When a note was changed since, the step
 * may or may not have been applied; a retry with the same key is refused then, because it might write twice.
 */
export async function recoverGroup(
  { store, journal, log, ended: tell }: RecoveryParts,
  group: JournalGroup,
): Promise<void> {
  const outcomes: StepOutcome[] = [];
  const states = new Map<number, StepState>();
  for (const step of group.steps)
    if (step.state === 'pending') states.set(step.id, await stepState(store, step));
  overtaken(group.steps, states);
  const begun = group.steps.some(
    ({ id, state }) => state === 'done' || ['applied', 'half'].includes(states.get(id) ?? 'open'),
  );
  const unclear = begun ? undefined : firstChanged(group.steps, states);
  for (const step of group.steps) {
    if (step.state !== 'pending') continue;
    if (states.get(step.id) === 'applied')
      outcomes.push({ stepId: step.id, state: 'done', trashPath: await whereItWent(store, journal, step) });
    else if (!begun) outcomes.push({ stepId: step.id, state: 'failed' });
    else {
      try {
        const { trashPath } = await applyStep(store, step, journal.after(step.id), journal.before(step.id), {
          interrupted: true,
        });
        outcomes.push({ stepId: step.id, state: 'done', trashPath });
      } catch (error) {
        outcomes.push({ stepId: step.id, state: 'failed' });
        log('warn', `A step of the interrupted write was left out: ${asLecternError(error).message}`);
      }
    }
  }
  const ended = new Map(outcomes.map(({ stepId, state }) => [stepId, state]));
  const stepsThat = (wanted: StepOutcome['state']) =>
    group.steps.filter(({ id }) => ended.get(id) === wanted);
  const failed = stepsThat('failed');
  await journal.finish(group.id, outcomes, (expected) => {
    if (begun) return answerAfter(expected, failed);
    return unclear && unclearAnswer(unclear.path);
  });
  tell?.({ group, actor: group.actor, done: stepsThat('done'), failed, recovered: true });
}

/** A step whose result a later step changed counts as applied; the file no longer shows it. */
function overtaken(steps: readonly JournalStep[], states: Map<number, StepState>): void {
  const later = new Map<string, JournalStep>();
  for (const step of [...steps].reverse()) {
    const next = later.get(step.path);
    if (next && step.afterEtag !== undefined && next.beforeEtag === step.afterEtag)
      if (states.get(next.id) === 'applied') states.set(step.id, 'applied');
    later.set(step.path, step);
  }
}

/**
 * The first file that matches neither the state before the group nor the state after it. A later step cannot
 * be judged when an earlier step of the group changes or creates its file.
 */
function firstChanged(
  steps: readonly JournalStep[],
  states: ReadonlyMap<number, StepState>,
): JournalStep | undefined {
  const touched = new Set<string>();
  const folders: string[] = [];
  for (const step of steps) {
    const { action, path, toPath = path } = step;
    const isOwn = touched.has(path) || folders.some((folder) => path.startsWith(`${folder}/`));
    if (!isOwn && states.get(step.id) === 'changed') return step;
    touched.add(path).add(toPath);
    if (action === 'move_folder') folders.push(toPath);
  }
  return undefined;
}

/** The expected answer, and what was left out. */
function answerAfter(expected: string, left: readonly JournalStep[]): string {
  if (left.length === 0) return expected;
  const answer = JSON.parse(expected) as { notices?: string[] };
  return JSON.stringify({
    ...answer,
    notices: [...(answer.notices ?? []), ...left.map(({ path }) => notUpdated(path))],
  });
}

/** The name in the trash that the crash kept out of the journal: that of the only matching file. */
async function whereItWent(
  store: Store,
  journal: Journal,
  { id, action, path }: JournalStep,
): Promise<string | undefined> {
  if (action !== 'trash' && action !== 'trash_on_desktop') return undefined;
  const bytes = journal.before(id)?.length;
  // A number may follow when the trash contained a file of that name.
  const there = (await store.listTrash()).filter(
    ({ trashPath, size }) => size === bytes && baseName(trashPath).startsWith(stem(path)),
  );
  return there.length === 1 ? there[0]?.trashPath : undefined;
}
