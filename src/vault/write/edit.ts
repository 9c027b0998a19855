import { LecternError } from '../../errors.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { type FileKind, nameKey, normalizePath } from '../../notes/path.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { Access } from '../access.ts';
import type { LeftAloneList } from '../left-alone.ts';
import { planRelinking, relinkNotices } from '../move/plan.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { JournalView } from '../view/journal-view.ts';
import { type Draft, isCanvasChange, type NoteChange } from './draft.ts';
import { draftAndFacts, factsNotice } from './draft-and-facts.ts';
import { changedMeanwhile } from './steps.ts';
import { type NoteTarget, placeNotices, writableEntry, writableFilePath } from './target.ts';
import type { RelinkedNote, WriteOptions, WriteResult } from './types.ts';
import { notUpdated, type WriteContext, type WriteOutcome, type WritePlan } from './write-plan.ts';

/** Further notes that must change with this one, planned at the same moment. */
export type Follow = (path: string, draft: Draft) => Promise<FollowUp>;

export interface FollowUp extends Pick<WritePlan, 'steps' | 'turned'> {
  readonly relinked: readonly RelinkedNote[];
  readonly leftAlone?: LeftAloneList;
  readonly notices: readonly string[];
}

export interface EditRequest extends WriteOptions {
  readonly path: string;
  /** `create` = must not exist, `edit` = must exist, `put` = either. */
  readonly mode: 'create' | 'edit' | 'put';
  readonly change: NoteChange;
  /** Makes the write run alone. */
  readonly follow?: Follow;
  readonly summary: (created: boolean) => string;
}

/**
 * One note's write, from bytes read inside the lock: parallel edits run in sequence and none is lost. An edit
 * without an effect writes nothing and keeps the file's time.
 */
export async function editNote(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  request: EditRequest,
): Promise<WriteResult> {
  const writer = await parts.writer();
  const plan = async (isShared: boolean): Promise<WritePlan<WriteResult>> => {
    const { path, madeFolder, before } = await current(parts, access, request);
    const { draft, facts } = await draftAndFacts(parts, path, before, request.change);
    const { bytes } = draft;
    const changed = draft.changed || facts !== undefined;
    const created = before === undefined;
    const follow = draft.changed
      ? await followUps(parts, access, request, { path, created, draft, isShared })
      : undefined;
    const result: WriteResult = {
      path,
      etag: facts?.afterEtag ?? draft.etag,
      created,
      changed,
      bytes: bytes.length,
      added: draft.added,
      removed: draft.removed,
      diff: draft.diff,
      diffCut: draft.diffCut,
      writeId: undefined,
      dryRun: request.dryRun ?? false,
      relinked: follow?.relinked ?? [],
      replaced: draft.replaced,
      canvasOps: draft.canvasOps,
      leftAlone: follow?.leftAlone,
      notices: [
        ...(created ? placeNotices(normalizePath(request.path), path) : []),
        ...draft.notices,
        ...(facts ? [factsNotice(facts)] : []),
        ...(follow?.notices ?? []),
      ],
    };
    const step: PlannedStep = {
      action: created ? 'create' : 'replace',
      path,
      afterEtag: draft.etag,
      after: bytes,
      ...(madeFolder !== undefined && { madeFolder }),
      ...(before && { beforeEtag: before.etag, before: before.bytes }),
    };
    const steps = [...(draft.changed ? [step] : []), ...(facts ? [facts] : []), ...(follow?.steps ?? [])];
    return {
      summary: request.summary(created),
      decisive: true,
      steps: request.dryRun ? [] : steps,
      // Text and facts are one change.
      whole: draft.changed && facts !== undefined,
      turned: follow?.turned,
      answer: (outcome) => ({
        ...result,
        writeId: outcome.writeId,
        notices: [...result.notices, ...outcomeNotices(outcome)],
      }),
    };
  };
  const context = contextOf(parts, access, actor, request);
  const only = nameKey(normalizePath(request.path));
  const { answer } = await (request.follow
    ? writer.commit(context, () => plan(false))
    : writer
        .commit(context, () => plan(true), { only })
        .catch((error: unknown) => {
          if (error instanceof ConcernsOthers) return writer.commit(context, () => plan(false));
          throw error;
        }));
  return answer;
}

/** The writer and its tool, for the journal. */
export function contextOf(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  { tool, requestId }: WriteOptions,
): WriteContext {
  const view = new JournalView(parts.journal(), access);
  return {
    actor,
    tool: actor.tool ?? tool,
    number: (id) => view.number(id),
    mayRead: (path) => access.mayRead(path),
    ...(requestId && { requestId }),
  };
}

/** Differences from the plan, as messages. */
export function outcomeNotices({ failed, indexed }: Pick<WriteOutcome, 'failed' | 'indexed'>): string[] {
  const notices = failed.map(({ step }) => notUpdated(step.path));
  if (!indexed) notices.push('Written; search and links will follow when the index has caught up.');
  return notices;
}

async function writableFile(parts: VaultParts, access: Access, input: string): Promise<NoteTarget> {
  const existing = await writableEntry(parts, access, input);
  return { path: existing.path, madeFolder: undefined, existing };
}

async function current(parts: VaultParts, access: Access, request: EditRequest) {
  const kind = isCanvasChange(request.change) ? 'canvas' : 'note';
  const { existing, ...place } =
    request.mode === 'edit'
      ? await writableFile(parts, access, request.path)
      : await writableFilePath(parts, access, request.path, kind);
  if (!existing) {
    if (request.ifMatch !== undefined) throw changedMeanwhile(request.path);
    return { ...place, before: undefined };
  }
  const { path } = existing;
  if (existing.kind !== kind) throw otherKind(path, existing.kind, kind);
  if (request.mode === 'create') {
    throw new LecternError('exists', `${path} exists already.`, {
      details: { path },
      next: 'Choose another path, or leave out if_not_exists to replace the note.',
    });
  }
  const file = await parts.store.read(path);
  const { bytes } = file;
  const etag = etagOfFile(file);
  if (request.ifMatch !== undefined && request.ifMatch !== etag) throw changedMeanwhile(path);
  return { ...place, before: { bytes, etag, facts: file.entry.facts } };
}

function otherKind(path: string, kind: FileKind, wanted: 'note' | 'canvas'): LecternError {
  const what = wanted === 'note' ? 'a Markdown note' : 'a canvas';
  return new LecternError('invalid_input', `${path} is not ${what}.`, {
    details: { path, kind },
    next: wanted === 'note' ? 'Notes end in .md.' : 'Canvases end in .canvas.',
  });
}

/** Thrown by a plan that ran beside other writes when it needs the vault for itself. */
class ConcernsOthers extends Error {}

async function followUps(
  parts: VaultParts,
  access: Access,
  request: EditRequest,
  note: { path: string; created: boolean; draft: Draft; isShared: boolean },
): Promise<FollowUp | undefined> {
  const { path, created, draft, isShared } = note;
  const follow = await request.follow?.(path, draft);
  if (!created) return follow;
  // A new note must not take over links that meant another note of its name.
  const reader = await parts.reader();
  const namesakes = await reader.filesNamed(nameKey(path));
  if (namesakes.length === 0) return follow;
  if (isShared) throw new ConcernsOthers();
  await parts.indexer.sync();
  const relink = await planRelinking({ moved: new Map(), added: [path] }, parts, reader, access);
  assertMayFollow(access, relink.steps);
  return {
    steps: [...(follow?.steps ?? []), ...relink.steps],
    turned: relink.turned,
    relinked: [...(follow?.relinked ?? []), ...relink.relinked],
    notices: [...(follow?.notices ?? []), ...relinkNotices(relink)],
  };
}

/**
 * Links in a note that the caller sees and may not change would break: the whole operation is refused.
 * @throws LecternError `forbidden`
 */
export function assertMayFollow(
  access: Access,
  steps: readonly Pick<PlannedStep, 'path' | 'unseen'>[],
): void {
  for (const { path, unseen } of steps) {
    if (unseen || access.mayWrite(path)) continue;
    throw new LecternError(
      'forbidden',
      `Links in ${path} would have to change, which the owner's rules do not allow.`,
      {
        next: 'Choose a name that no other note has, or leave the links alone with update_links=false.',
      },
    );
  }
}
