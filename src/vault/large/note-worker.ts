import { isLecternError, LecternError, type LecternErrorOptions } from '../../errors.ts';
import type { Dialect } from '../../notes/model.ts';
import type { NoteView } from '../../notes/note-view.ts';
import { viewOf } from '../../notes/note-view.ts';
import { parseNote } from '../../notes/parse.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import type { ThreadPort } from '../thread-port.ts';
import { patchNote } from '../write/patch-note.ts';
import { type PackedView, packView, unpackView } from './pack-view.ts';

/** Notes of this many UTF-16 units and more take longer to parse than the event loop may be held up. */
export const LARGE_NOTE = 100_000;

export interface Patched {
  readonly text: string;
  readonly renamedHeadings: readonly RenamedHeading[];
}

/** Work on the text of large notes, done in a thread of its own. Pure: what it is given it answers. */
export interface NoteWorker {
  view(text: string, dialect: Dialect): Promise<NoteView>;
  /** @throws LecternError as `applyPatch` does */
  patch(path: string, text: string, ops: readonly PatchOp[], dialect: Dialect): Promise<Patched>;
  close(): Promise<void>;
}

type Task =
  | { readonly kind: 'view'; readonly text: string; readonly dialect: Dialect }
  | {
      readonly kind: 'patch';
      readonly path: string;
      readonly text: string;
      readonly ops: readonly PatchOp[];
      readonly dialect: Dialect;
    };

export type NoteRequest = Task & { readonly id: number };

export interface NoteReply {
  readonly id: number;
  readonly view?: PackedView;
  readonly patched?: Patched;
  readonly error?: Pick<LecternError, 'code' | 'message'> & Pick<LecternErrorOptions, 'details' | 'next'>;
}

export type NotePort = ThreadPort<NoteRequest, NoteReply>;

/** Idle this long, the thread gives its memory back. */
const IDLE_MS = 30_000;

/** @param start called with the first note, and again after an idle time */
export function noteWorker(start: () => NotePort): NoteWorker {
  let thread: Thread | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stop = async () => {
    clearTimeout(timer);
    const stopped = thread;
    thread = undefined;
    await stopped?.port.terminate();
  };
  const ask = async (task: Task): Promise<NoteReply> => {
    clearTimeout(timer);
    thread ??= new Thread(start(), (ended) => {
      if (thread === ended) thread = undefined;
    });
    const current = thread;
    try {
      return await current.ask(task);
    } finally {
      if (current.isIdle) {
        clearTimeout(timer);
        timer = setTimeout(() => void stop(), IDLE_MS);
        timer.unref();
      }
    }
  };
  return {
    async view(text, dialect) {
      const { view } = await ask({ kind: 'view', text, dialect });
      return view === undefined ? viewOf(parseNote(text, { dialect })) : unpackView(view, text);
    },
    async patch(path, text, ops, dialect) {
      const { patched } = await ask({ kind: 'patch', path, text, ops, dialect });
      return patched ?? patchNote(path, text, ops, dialect);
    },
    close: stop,
  };
}

interface Waiting {
  readonly resolve: (reply: NoteReply) => void;
  readonly reject: (error: unknown) => void;
}

class Thread {
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  constructor(
    readonly port: NotePort,
    ended: (thread: Thread) => void,
  ) {
    port.onReply((reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if (reply.error === undefined) waiting?.resolve(reply);
      else waiting?.reject(new LecternError(reply.error.code, reply.error.message, reply.error));
    });
    port.onExit(() => {
      ended(this);
      // An answer without a result: the work is done where it was asked for.
      for (const [id, { resolve }] of this.#waiting) resolve({ id });
      this.#waiting.clear();
    });
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  ask(task: Task): Promise<NoteReply> {
    const id = this.#requests++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.port.post({ ...task, id });
    });
  }
}

/** The thread's own side. */
export function serveNotes(port: {
  onRequest(listener: (request: NoteRequest) => void): void;
  post(reply: NoteReply): void;
}): void {
  port.onRequest((request) => port.post(answer(request)));
}

function answer(request: NoteRequest): NoteReply {
  const { id, text, dialect } = request;
  try {
    if (request.kind === 'view') return { id, view: packView(viewOf(parseNote(text, { dialect }))) };
    return { id, patched: patchNote(request.path, text, request.ops, dialect) };
  } catch (error) {
    if (!isLecternError(error)) return { id };
    const { code, message, details, next } = error;
    return { id, error: { code, message, details, ...(next !== undefined && { next }) } };
  }
}
