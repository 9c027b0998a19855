import { NOTE_BYTES } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import { unifiedDiff } from '../../notes/diff.ts';
import { etagOf } from '../../notes/etag.ts';
import type { Dialect } from '../../notes/model.ts';
import { applyPatch, type PatchResult, type Replaced } from '../../notes/patch/apply.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import { baseName } from '../../notes/path.ts';
import { encodeText } from '../../notes/text.ts';
import { WorkLimit } from '../../notes/work.ts';
import type { NoteFacts } from '../../stores/store.ts';
import { decodeNote } from '../decode-note.ts';
import { noteText } from './content.ts';
import { propertyNotices } from './property-notices.ts';
import type { NoteContent } from './types.ts';

/** What a write does to the text of one note. */
export type NoteChange =
  | { readonly kind: 'content'; readonly content: NoteContent }
  | { readonly kind: 'patch'; readonly ops: readonly PatchOp[] };

export interface DraftTask {
  readonly path: string;
  /** As stored; undefined when there is no such note yet. */
  readonly before: Uint8Array | undefined;
  /** What the store keeps of the note beside its bytes. */
  readonly facts?: NoteFacts | undefined;
  readonly change: NoteChange;
  readonly dialect: Dialect;
}

/** A note as it shall be, and what is different about it. */
export interface Draft {
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly changed: boolean;
  readonly added: number;
  readonly removed: number;
  readonly diff: string;
  readonly diffCut: boolean;
  readonly notices: readonly string[];
  readonly renamedHeadings: readonly RenamedHeading[];
  readonly replaced: readonly Replaced[];
}

/**
 * The text a write makes, from the bytes there are. Pure, so that any thread can do it.
 *
 * @param work how much may be parsed, in characters
 * @throws LecternError when the change cannot be made of this note; TooMuchWork beyond `work`
 */
export function draftNote(
  { path, before: stored, facts, change, dialect }: DraftTask,
  work = Number.POSITIVE_INFINITY,
): Draft {
  const limit = new WorkLimit(work);
  const before = stored && decodeNote(path, stored);
  const { text, renamedHeadings, replaced } = changedText({ path, before, change, dialect }, limit);
  assertWellFormed(path, text);
  const bytes = encodeText(text);
  assertSize(path, bytes.length);
  const changed = before !== text;
  const diff =
    before === undefined
      ? { text: '', added: lines(text), removed: 0, cut: false }
      : unifiedDiff(before, text);
  return {
    bytes,
    etag: etagOf(bytes, facts),
    changed,
    added: diff.added,
    removed: diff.removed,
    diff: diff.text,
    diffCut: diff.cut,
    notices: changed ? propertyNotices(before, text, dialect) : [],
    renamedHeadings,
    replaced,
  };
}

function changedText(
  { path, before, change, dialect }: Omit<DraftTask, 'before'> & { before: string | undefined },
  work: WorkLimit,
): Pick<PatchResult, 'text' | 'renamedHeadings' | 'replaced'> {
  if (change.kind === 'patch') {
    return applyPatch(before ?? '', change.ops, {
      dialect,
      isSelfLink: (link) => isOwnName(path, link.target),
      work,
    });
  }
  work.parse(before ?? '');
  work.parse(change.content.body);
  return { text: noteText(before, change.content, dialect, work), renamedHeadings: [], replaced: [] };
}

/** A link in a note that names the note itself, as far as its bare name tells. */
function isOwnName(path: string, target: string): boolean {
  const name = baseName(path).toLowerCase();
  const wanted = baseName(target).toLowerCase();
  return target === '' || wanted === name || `${wanted}.md` === name;
}

/** @throws LecternError `invalid_input` for text that UTF-8 cannot hold: it would be written as something else */
function assertWellFormed(path: string, text: string): void {
  const at = text.search(/\p{Surrogate}/u);
  if (at === -1) return;
  const line = text.slice(0, at).split('\n').length;
  throw new LecternError('invalid_input', `The text holds half of a surrogate pair, line ${line}.`, {
    details: { path, line },
    next: 'Send well-formed Unicode; nothing was changed.',
  });
}

function assertSize(path: string, bytes: number): void {
  if (bytes <= NOTE_BYTES) return;
  throw new LecternError(
    'too_large',
    `A note may have at most ${NOTE_BYTES} bytes; this would have ${bytes}.`,
    { details: { path, bytes, limit: NOTE_BYTES }, next: 'Split it into several notes.' },
  );
}

function lines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
