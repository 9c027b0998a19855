import type { Row } from '../../sqlite/driver.ts';
import type { GroupState, JournalStep, StepAction, Trashed } from '../journal.ts';

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Converts a row of `step`. */
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
  if (row.follows === 1) step.follows = true;
  return step;
}

/** Selects {@link Trashed}, including undone deletions: the file may have been restored by hand. */
export const TRASHED = `SELECT s.id, s.trash_path, s.path, g.time FROM step s JOIN write_group g ON g.id = s.group_id
  WHERE s.action IN ('trash', 'trash_on_desktop') AND s.state IN ('done', 'undone')`;

/** Converts a row of {@link TRASHED}. */
export function trashedOf(row: Row | undefined): Trashed | undefined {
  return (
    row && {
      stepId: Number(row.id),
      trashPath: String(row.trash_path),
      path: String(row.path),
      time: Number(row.time),
    }
  );
}
