import { CANVAS_BYTES, NOTE_BYTES } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import { patchCanvas } from '../../formats/canvas/edit/apply.ts';
import type { CanvasOpResult } from '../../formats/canvas/edit/editing.ts';
import { replaceCanvas } from '../../formats/canvas/edit/replace.ts';
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

/** The change of one note's or canvas's text by a write. */
export type NoteChange =
  | { readonly kind: 'content'; readonly content: NoteContent }
  | { readonly kind: 'patch'; readonly ops: readonly PatchOp[] }
  | CanvasChange;

export type CanvasChange =
  /** `json`: the whole canvas as JSON text. */
  | { readonly kind: 'canvas'; readonly json: string }
  | { readonly kind: 'canvas_patch'; readonly ops: readonly unknown[] };

/** The input of a change. */
export function isCanvasChange(change: NoteChange): change is CanvasChange {
  return change.kind === 'canvas' || change.kind === 'canvas_patch';
}

export interface DraftTask {
  readonly path: string;
  /** As stored; undefined for a new note. */
  readonly before: Uint8Array | undefined;
  /** Facts the store keeps beside the bytes. */
  readonly facts?: NoteFacts | undefined;
  readonly change: NoteChange;
  readonly dialect: Dialect;
}

/** A note after a change, and the differences. */
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
  /** The effect of each op of a canvas patch. */
  readonly canvasOps?: readonly CanvasOpResult[];
}

/**
 * Makes the new text from the current bytes. Pure, so that any thread can run it.
 *
 * @param work limit for parsing, in characters
 * @throws LecternError when the change does not fit this note; TooMuchWork beyond `work`
 */
export function draftNote(
  { path, before: stored, facts, change, dialect }: DraftTask,
  work = Number.POSITIVE_INFINITY,
): Draft {
  const limit = new WorkLimit(work);
  const before = stored && decodeNote(path, stored);
  const { text, renamedHeadings, replaced, canvasOps } = isCanvasChange(change)
    ? changedCanvas(before, change, limit)
    : changedText({ path, before, change, dialect }, limit);
  assertWellFormed(path, text);
  const bytes = encodeText(text);
  assertSize(path, bytes.length, isCanvasChange(change) ? 'canvas' : 'note');
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
    notices: changed && !isCanvasChange(change) ? propertyNotices(before, text, dialect) : [],
    renamedHeadings,
    replaced,
    ...(canvasOps && { canvasOps }),
  };
}

type Changed = Pick<PatchResult, 'text' | 'renamedHeadings' | 'replaced'> & Pick<Draft, 'canvasOps'>;

function changedCanvas(before = '', change: CanvasChange, work: WorkLimit): Changed {
  work.parse(before);
  const nothing = { renamedHeadings: [], replaced: [] };
  if (change.kind === 'canvas') {
    work.parse(change.json);
    const given = JSON.parse(change.json) as Readonly<Record<string, unknown>>;
    return { text: replaceCanvas(before, given), ...nothing };
  }
  // Each op scans the canvas once or twice.
  work.parse(JSON.stringify(change.ops));
  work.change(Math.ceil((change.ops.length * before.length) / CHARACTERS_OF_PLACE));
  const { text, results } = patchCanvas(before, change.ops);
  return { text, canvasOps: results, ...nothing };
}

/** Characters of a canvas scanned in the time of one edit in a note. */
const CHARACTERS_OF_PLACE = 2000;

function changedText(
  {
    path,
    before,
    change,
    dialect,
  }: Omit<DraftTask, 'before' | 'change'> & {
    before: string | undefined;
    change: Exclude<NoteChange, CanvasChange>;
  },
  work: WorkLimit,
): Changed {
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

/** A link in a note to the note itself, judged by its bare name. */
function isOwnName(path: string, target: string): boolean {
  const name = baseName(path).toLowerCase();
  const wanted = baseName(target).toLowerCase();
  return target === '' || wanted === name || `${wanted}.md` === name;
}

/** @throws LecternError `invalid_input` for text that UTF-8 cannot represent: other text would be written */
function assertWellFormed(path: string, text: string): void {
  const at = text.search(/\p{Surrogate}/u);
  if (at === -1) return;
  const line = text.slice(0, at).split('\n').length;
  throw new LecternError('invalid_input', `The text holds half of a surrogate pair, line ${line}.`, {
    details: { path, line },
    next: 'Send well-formed Unicode; nothing was changed.',
  });
}

function assertSize(path: string, bytes: number, what: 'note' | 'canvas'): void {
  const limit = what === 'note' ? NOTE_BYTES : CANVAS_BYTES;
  if (bytes <= limit) return;
  throw new LecternError(
    'too_large',
    `A ${what} may have at most ${limit} bytes; this would have ${bytes}.`,
    {
      details: { path, bytes, limit },
      next: what === 'note' ? 'Split it into several notes.' : 'Split it into several canvases.',
    },
  );
}

function lines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
