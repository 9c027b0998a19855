import type { Row } from '../../sqlite/driver.ts';
import type { GroupState, JournalStep, StepAction } from '../journal.ts';

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function stepOf(row: Row): JournalStep {
  const step: { -readonly [K in keyof JournalStep]: JournalStep[K] } = {
    id: Number(row.id),
    action: row.action as StepAction,
    path: String(row.path),
    state: row.state as GroupState,
  };
  const toPath = text(row.to_path);
  const trashPath = text(row.trash_path);
  const beforeEtag = text(row.before_etag);
  const afterEtag = text(row.after_etag);
  const madeFolder = text(row.made_folder);
  const prunedFolder = text(row.pruned_folder);
  if (toPath !== undefined) step.toPath = toPath;
  if (trashPath !== undefined) step.trashPath = trashPath;
  if (beforeEtag !== undefined) step.beforeEtag = beforeEtag;
  if (afterEtag !== undefined) step.afterEtag = afterEtag;
  if (madeFolder !== undefined) step.madeFolder = madeFolder;
  if (prunedFolder !== undefined) step.prunedFolder = prunedFolder;
  return step;
}
