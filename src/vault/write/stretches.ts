import type { JournalStep } from '../../journal/journal.ts';

/**
 * Steps in order, with neighbouring replacements of different notes grouped. The first step, which is
 * decisive, stays alone.
 */
export function stretches(steps: readonly JournalStep[]): [number, JournalStep][][] {
  const result: [number, JournalStep][][] = [];
  let paths = new Set<string>();
  for (const [at, step] of steps.entries()) {
    const last = result.at(-1);
    const joins = at > 1 && step.action === 'replace' && last?.[0]?.[1].action === 'replace';
    if (joins && !paths.has(step.path)) {
      last?.push([at, step]);
    } else {
      result.push([[at, step]]);
      paths = new Set();
    }
    paths.add(step.path);
  }
  return result;
}
