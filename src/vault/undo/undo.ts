import { LecternError } from '../../errors.ts';
import type { Journal, JournalGroup, PlannedStep } from '../../journal/journal.ts';
import type { Access } from '../access.ts';
import { planRelinking } from '../move/plan.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { JournalView, undoSummary } from '../view/journal-view.ts';
import { contextOf } from '../write/edit.ts';
import type { UndoRequest, UndoResult } from '../write/types.ts';
import type { WritePlan } from '../write/write-plan.ts';
import { planUndo, type UndoPlan } from './plan.ts';

/** Planned in memory, with the bytes of every note involved. */
const MAX_GROUPS = 10_000;

/**
 * Reverts one write, or every write since a time, all or none. The undo is a write of its own and can be
 * undone.
 * @throws LecternError `not_found` for an unknown write, `conflict` when a note was changed since,
 *   `invalid_input`
 */
export async function undoWrites(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  request: UndoRequest,
): Promise<UndoResult> {
  const writer = await parts.writer();
  const view = new JournalView(parts.journal(), access);
  const plan = async (): Promise<WritePlan<UndoResult>> => {
    const groups = chosen(parts.journal(), view, request);
    for (const step of groups.flatMap((group) => group.steps).filter((each) => view.sees(each))) {
      access.assertWritable(step.path);
      if (step.toPath) access.assertWritable(step.toPath);
    }
    const undo = await planUndo(groups, parts.journal(), parts.store, view, parts.pacer());
    // A folder that was renamed or replaced by a link since may lead elsewhere.
    for (const { path, toPath = path, unseen } of undo.steps) if (!unseen) access.assertWritable(toPath);
    if (undo.conflicts.length > 0) throw conflict(undo);
    const isPlanned = !request.dryRun && undo.steps.length > 0;
    return {
      summary: undoSummary(groups.map((group) => view.summary(group))),
      steps: isPlanned ? [...undo.steps, ...(await linksLeftBehind(parts, access, undo))] : [],
      decisive: true,
      whole: true,
      undoes: groups.map((group) => group.id),
      answer: ({ writeId }) => ({
        undone: groups.map((group) => view.number(group.id)),
        notes: undo.notes,
        writeId,
        dryRun: request.dryRun ?? false,
      }),
    };
  };
  return (await writer.commit(contextOf(parts, access, actor, request), plan)).answer;
}

/** Links in hidden notes that were changed since: updated for the files that move back. */
async function linksLeftBehind(
  parts: VaultParts,
  access: Access,
  { steps, leftBehind }: UndoPlan,
): Promise<readonly PlannedStep[]> {
  if (leftBehind.length === 0) return [];
  const moved = new Map<string, string>();
  const came = new Map<string, string>();
  for (const { action, path, toPath } of steps) {
    if (action !== 'move' || toPath === undefined) continue;
    const first = came.get(path) ?? path;
    moved.set(first, toPath);
    came.set(toPath, first);
  }
  if (moved.size === 0) return [];
  const files = { moved, added: [], only: leftBehind };
  return (await planRelinking(files, parts, await parts.reader(), access)).steps;
}

function chosen(journal: Journal, view: JournalView, request: UndoRequest): readonly JournalGroup[] {
  if (request.writeId !== undefined) {
    const group = view.group(request.writeId);
    if (!group || group.state === 'failed') {
      throw new LecternError('not_found', `There is no write ${request.writeId} to undo.`, {
        next: 'note_history lists the writes and their numbers.',
      });
    }
    if (group.state === 'undone') {
      throw new LecternError('invalid_input', `Write ${request.writeId} was undone already.`, {
        next: 'note_history shows which write undid it; that one can be undone in turn.',
      });
    }
    return [group];
  }
  if (request.since === undefined && request.session === undefined) {
    throw new LecternError(
      'invalid_input',
      'Say what to undo: write_id, or since (and perhaps actor or session).',
      {
        next: 'note_history lists the writes and their numbers.',
      },
    );
  }
  const { groups, total } = journal.history({
    limit: MAX_GROUPS,
    state: 'done',
    ...(!view.isWhole && { visible: view.shows }),
    ...(request.since !== undefined && { since: request.since }),
    ...(request.actor !== undefined && { actor: request.actor }),
    ...(request.session !== undefined && { session: request.session }),
  });
  if (total > groups.length) {
    throw new LecternError('too_large', `${total} writes are too many to take back at once.`, {
      details: { writes: total, limit: MAX_GROUPS },
      next: 'Take them back in parts: begin with a later since.',
    });
  }
  return withoutPairs(groups, request, view);
}

/**
 * A write and its undo cancel each other out. An undo in this time span that also reverted older writes is
 * itself undone, and then the writes of the span that it covered.
 */
function withoutPairs(
  groups: readonly JournalGroup[],
  request: UndoRequest,
  view: JournalView,
): readonly JournalGroup[] {
  const isInSpan = ({ time, actor }: JournalGroup) =>
    time >= (request.since ?? 0) &&
    (request.actor === undefined || actor.name === request.actor) &&
    (request.session === undefined || actor.session === request.session);
  const chosen = new Map<number, JournalGroup>();
  for (const group of groups) {
    const undone = view.undone(group);
    const covered = undone.filter(isInSpan);
    // A group that is no longer stored is older than the span.
    const known = view.isWhole ? group.undoes.length : undone.length;
    if (known > 0 && covered.length === known) continue;
    chosen.set(group.id, group);
    for (const one of covered) chosen.set(one.id, one);
  }
  return [...chosen.values()].sort((a, b) => b.id - a.id);
}

function conflict(plan: UndoPlan): LecternError {
  const [first] = plan.conflicts;
  return new LecternError('conflict', `${first?.path} cannot be taken back: ${first?.reason}.`, {
    details: {
      conflicts: plan.conflicts.slice(0, 20),
      total: plan.conflicts.length,
      diffs: plan.notes.slice(0, 5),
    },
    next: 'Nothing was changed. Undo the later changes first, or edit the note by hand.',
  });
}
