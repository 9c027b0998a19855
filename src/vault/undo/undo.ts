import { LecternError } from '../../errors.ts';
import type { Journal, JournalGroup } from '../../journal/journal.ts';
import type { Access } from '../access.ts';
import type { Actor } from '../session.ts';
import type { VaultParts } from '../vault.ts';
import type { UndoRequest, UndoResult } from '../write/types.ts';
import type { WritePlan } from '../write/writer.ts';
import { planUndo, type UndoPlan } from './plan.ts';

/** Planned in memory, with the bytes of every note they touch. */
const MAX_GROUPS = 10_000;

/**
 * Takes back one write, or every write since a time, all or none. Undoing is a write of its own and
 * can be undone.
 * @throws LecternError `not_found` for an unknown write, `conflict` when a note was changed since, `invalid_input`
 */
export async function undoWrites(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  request: UndoRequest,
): Promise<UndoResult> {
  const writer = await parts.writer();
  let undo: UndoPlan | undefined;
  let groups: readonly JournalGroup[] = [];
  const plan = async (): Promise<WritePlan | undefined> => {
    groups = chosen(parts, access, request);
    for (const step of groups.flatMap((group) => group.steps)) {
      access.assertWritable(step.path);
      if (step.toPath) access.assertWritable(step.toPath);
    }
    undo = await planUndo(groups, parts.journal(), parts.store);
    // A folder that was renamed or replaced by a link since may lead elsewhere.
    for (const { path, toPath = path } of undo.steps) access.assertWritable(toPath);
    if (undo.conflicts.length > 0) throw conflict(undo);
    if (request.dryRun || undo.steps.length === 0) return undefined;
    const what = groups.length === 1 ? `"${groups[0]?.summary}"` : `${groups.length} writes`;
    return {
      summary: `undo ${what}`,
      steps: undo.steps,
      decisive: true,
      whole: true,
      undoes: groups.map((group) => group.id),
    };
  };
  const context = { actor, tool: request.tool, ...(request.requestId && { requestId: request.requestId }) };
  const committed = await writer.commit(context, plan);
  return {
    undone: groups.map((group) => group.id),
    notes: undo?.notes ?? [],
    writeId: committed?.group.id,
    dryRun: request.dryRun ?? false,
  };
}

function chosen(parts: VaultParts, access: Access, request: UndoRequest): readonly JournalGroup[] {
  const journal = parts.journal();
  if (request.writeId !== undefined) {
    const group = journal.group(request.writeId);
    const seen = group?.steps.every(
      (step) => access.mayRead(step.path) && access.mayRead(step.toPath ?? step.path),
    );
    if (!group || !seen || group.state === 'failed') {
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
    visible: (path) => access.mayRead(path),
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
  return withoutPairs(groups, request, journal);
}

/**
 * A write and the undo that took it back cancel each other out. Where an undo of this span took back
 * older writes too, it is undone, and the writes of the span that it covered after it.
 */
function withoutPairs(
  groups: readonly JournalGroup[],
  request: UndoRequest,
  journal: Journal,
): readonly JournalGroup[] {
  const isInSpan = ({ time, actor }: JournalGroup) =>
    time >= (request.since ?? 0) &&
    (request.actor === undefined || actor.name === request.actor) &&
    (request.session === undefined || actor.session === request.session);
  const chosen = new Map<number, JournalGroup>();
  for (const group of groups) {
    const covered = group.undoes
      .map((id) => journal.group(id))
      .filter((undone) => undone !== undefined && isInSpan(undone));
    if (group.undoes.length > 0 && covered.length === group.undoes.length) continue;
    chosen.set(group.id, group);
    for (const undone of covered) if (undone) chosen.set(undone.id, undone);
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
