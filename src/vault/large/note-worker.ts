import { NOTE_WORK_MEGABYTES, NOTE_WORK_MS, WORK_HERE } from '../../budgets.ts';
import { isLecternError, LecternError } from '../../errors.ts';
import { parseCanvas } from '../../formats/canvas/model.ts';
import { type CanvasPlace, placeAtLine } from '../../formats/canvas/text.ts';
import { type CanvasQuery, type CanvasView, viewCanvas } from '../../formats/canvas/view.ts';
import type { Dialect, ParsedNote } from '../../notes/model.ts';
import { type NoteView, viewOf } from '../../notes/note-view.ts';
import { parseNote } from '../../notes/parse.ts';
import { renameTag, type TagRename } from '../../notes/patch/rename-tag.ts';
import { TooMuchWork, workOf } from '../../notes/work.ts';
import {
  type CallMessage,
  type CallReply,
  HandedOver,
  type ServedPort,
  serveCalls,
  ThreadCalls,
  type ThreadPort,
} from '../../thread-calls.ts';
import { decodeNote } from '../decode-note.ts';
import { type Draft, type DraftTask, draftNote } from '../write/draft.ts';
import { NotePages, type NotePart, notesByPage } from './note-pages.ts';
import { type PackedView, packView, unpackView } from './pack-view.ts';

/**
 * Work on note texts that would block the server's thread, done in a worker, one request at a time. Pure
 * functions of their input.
 */
export interface NoteWorker {
  /** @throws LecternError `too_large`, `timeout` */
  view(text: string, dialect: Dialect, signal?: AbortSignal): Promise<NoteView>;
  /** @throws LecternError `too_large`, `timeout` */
  parse(text: string, dialect: Dialect, signal?: AbortSignal): Promise<ParsedNote>;
  /** @throws LecternError as `renameTag` does; `too_large`, `timeout` */
  renameTag(task: TagTask, signal?: AbortSignal): Promise<TagRename>;
  /** @throws LecternError as `draftNote` does; `too_large`, `timeout` */
  draft(task: DraftTask, signal?: AbortSignal): Promise<Draft>;
  /** @throws LecternError as `viewCanvas` does; `too_large`, `timeout` */
  canvas(task: CanvasTask & { readonly query: CanvasQuery }, signal?: AbortSignal): Promise<CanvasView>;
  /** @throws LecternError as `parseCanvas` does; `too_large`, `timeout` */
  canvasPlace(
    task: CanvasTask & { readonly line: number },
    signal?: AbortSignal,
  ): Promise<CanvasPlace | undefined>;
  close(): Promise<void>;
}

/** A note's structure, computed here when that is fast or there is no worker. */
export async function viewNote(
  text: string,
  dialect: Dialect,
  worker: Pick<NoteWorker, 'view'> | undefined,
  signal?: AbortSignal,
): Promise<NoteView> {
  if (worker !== undefined && workOf(text, WORK_HERE) >= WORK_HERE) return worker.view(text, dialect, signal);
  return viewOf(parseNote(text, { dialect }));
}

/** Parses a note, here when that is fast or there is no worker. */
export async function parsedNote(
  text: string,
  dialect: Dialect,
  worker: Pick<NoteWorker, 'parse'> | undefined,
): Promise<ParsedNote> {
  if (worker !== undefined && workOf(text, WORK_HERE) >= WORK_HERE) return worker.parse(text, dialect);
  return parseNote(text, { dialect });
}

/** Renames a tag in one note, here when that is fast or there is no worker. */
export async function tagRenamed(
  task: TagTask,
  worker: Pick<NoteWorker, 'renameTag'> | undefined,
): Promise<TagRename> {
  if (worker !== undefined && workOf(task.text, WORK_HERE) >= WORK_HERE) return worker.renameTag(task);
  return renameTag(task.text, task.dialect, task.from, task.to);
}

export interface TagTask {
  readonly text: string;
  readonly dialect: Dialect;
  readonly from: string;
  readonly to: string;
}

/**
 * Makes a note's new text, here when that is fast or there is no worker. The amount of work shows only during
 * the work: a patch can make a small note large.
 * @throws LecternError as `draftNote` does
 */
export async function draftOf(
  task: DraftTask,
  worker: Pick<NoteWorker, 'draft'> | undefined,
  signal?: AbortSignal,
): Promise<Draft> {
  if (worker === undefined) return draftNote(task);
  if ((task.before?.length ?? 0) >= WORK_HERE) return worker.draft(task, signal);
  try {
    return draftNote(task, WORK_HERE);
  } catch (error) {
    if (error instanceof TooMuchWork) return worker.draft(task, signal);
    throw error;
  }
}

/** The canvas as bytes: text takes longer to transfer between threads. */
export interface CanvasTask {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Answers a question about a canvas, here when that is fast or there is no worker. */
export async function canvasView(
  task: CanvasTask & { readonly query: CanvasQuery },
  worker: Pick<NoteWorker, 'canvas'> | undefined,
): Promise<CanvasView> {
  return worker !== undefined && task.bytes.length >= WORK_HERE ? worker.canvas(task) : viewOfCanvas(task);
}

/** Finds the node or edge that a line of a canvas's searched text belongs to. */
export async function canvasPlace(
  task: CanvasTask & { readonly line: number },
  worker: Pick<NoteWorker, 'canvasPlace'> | undefined,
): Promise<CanvasPlace | undefined> {
  return worker !== undefined && task.bytes.length >= WORK_HERE
    ? worker.canvasPlace(task)
    : placeInCanvas(task);
}

function viewOfCanvas({ path, bytes, query }: CanvasTask & { readonly query: CanvasQuery }): CanvasView {
  return viewCanvas(decodeNote(path, bytes), query);
}

function placeInCanvas({ path, bytes, line }: CanvasTask & { readonly line: number }) {
  return placeAtLine(parseCanvas(decodeNote(path, bytes)), line);
}

/** Calls of the thread. */
export interface NoteCalls {
  view(task: ParseTask): PackedView;
  /** The worker keeps the note for {@link NoteCalls.part}. */
  parse(task: ParseTask): Omit<ParsedNote, NotePart | 'text'>;
  /** A part of one list of the note parsed last. */
  part(page: { readonly part: NotePart; readonly from: number }): readonly unknown[];
  renameTag(task: TagTask): TagRename;
  draft(task: DraftTask): Draft;
  canvas(task: CanvasTask & { readonly query: CanvasQuery }): CanvasView;
  canvasPlace(task: CanvasTask & { readonly line: number }): CanvasPlace | undefined;
}

interface ParseTask {
  readonly text: string;
  readonly dialect: Dialect;
}

export type NotePort = ThreadPort<CallMessage, CallReply>;

/** Idle time, ms, after which the thread ends and frees its memory. */
const IDLE_MS = 30_000;

export interface NoteWorkerOptions {
  /** Default: {@link NOTE_WORK_MS}. */
  readonly limitMs?: number;
}

/** @param start starts the thread: at the first large note, and again after it ended */
export function noteWorker(
  start: () => NotePort,
  { limitMs = NOTE_WORK_MS }: NoteWorkerOptions = {},
): NoteWorker {
  let thread: ThreadCalls<NoteCalls> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const stop = async () => {
    clearTimeout(idle);
    const stopped = thread;
    thread = undefined;
    await stopped?.terminate();
  };

  /** One call with its time limit. A thread that is busy receives no message: it can only be terminated. */
  const run = async <Result>(
    work: (thread: ThreadCalls<NoteCalls>, signal: AbortSignal) => Promise<Result>,
    outer: AbortSignal | undefined,
  ): Promise<Result> => {
    outer?.throwIfAborted();
    clearTimeout(idle);
    thread ??= new ThreadCalls<NoteCalls>(start());
    const ending = new AbortController();
    const cancel = () => ending.abort(outer?.reason);
    outer?.addEventListener('abort', cancel, { once: true });
    const limit = setTimeout(() => ending.abort(tookTooLong(limitMs)), limitMs);
    try {
      return await work(thread, ending.signal);
    } catch (error) {
      if (isLecternError(error) && !ending.signal.aborted) throw error;
      await stop();
      throw ending.signal.aborted ? error : endedBy(error);
    } finally {
      clearTimeout(limit);
      outer?.removeEventListener('abort', cancel);
      clearTimeout(idle);
      idle = setTimeout(() => void stop(), IDLE_MS);
      idle.unref();
    }
  };

  const inTurn: typeof run = (work, signal) => {
    const turn = last.then(() => run(work, signal));
    last = turn.catch(() => {});
    return turn;
  };

  return {
    view: async (text, dialect, signal) =>
      unpackView(await inTurn((calls, end) => calls.ask('view', { text, dialect }, end), signal), text),
    parse: (text, dialect, signal) =>
      inTurn(async (calls, end) => {
        const facts = await calls.ask('parse', { text, dialect }, end);
        return { text, ...facts, ...(await notesByPage((page) => calls.ask('part', page, end))) };
      }, signal),
    renameTag: (task, signal) => inTurn((calls, end) => calls.ask('renameTag', task, end), signal),
    draft: (task, signal) => inTurn((calls, end) => calls.ask('draft', task, end), signal),
    canvas: (task, signal) => inTurn((calls, end) => calls.ask('canvas', task, end), signal),
    canvasPlace: (task, signal) => inTurn((calls, end) => calls.ask('canvasPlace', task, end), signal),
    close: stop,
  };
}

function tookTooLong(limitMs: number): LecternError {
  return new LecternError('timeout', `The note was not done within ${limitMs / 1000} s.`, {
    next: 'Nothing was changed. Ask for less at once: fewer ops, or a smaller note.',
  });
}

function endedBy(error: unknown): LecternError {
  const isFull = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isFull)
    return new LecternError('unavailable', 'The thread that works on notes has ended.', {
      cause: error,
      next: 'Nothing was changed. Try again.',
    });
  return new LecternError('too_large', `That takes more than ${NOTE_WORK_MEGABYTES} MiB of memory.`, {
    cause: error,
    details: { limit_megabytes: NOTE_WORK_MEGABYTES },
    next: 'Nothing was changed. Ask for less at once: fewer ops, or a smaller note.',
  });
}

/** The worker side. */
export function serveNotes(port: ServedPort<CallMessage, CallReply>): void {
  const pages = new NotePages();
  serveCalls<NoteCalls>(port, {
    parse: ({ text, dialect }) => pages.keep(parseNote(text, { dialect })),
    part: ({ part, from }) => pages.page(part, from),
    renameTag: ({ text, dialect, from, to }) => renameTag(text, dialect, from, to),
    view: ({ text, dialect }) => packView(viewOf(parseNote(text, { dialect }))),
    draft: (task) => {
      const draft = draftNote(task);
      return new HandedOver(draft, [draft.bytes.buffer as ArrayBuffer]);
    },
    canvas: viewOfCanvas,
    canvasPlace: placeInCanvas,
  });
}
