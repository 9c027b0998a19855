import { setMaxListeners } from 'node:events';
import type { SearchEngine } from '../search/engine.ts';
import { Pacer } from '../search/pacer.ts';
import { stoppable, untilAborted } from '../stoppable.ts';
import { type NoteWorker, parsedNote } from './large/note-worker.ts';
import type { NoteWriter, VaultParts } from './parts.ts';

/**
 * The parts of a vault for one call: its waits end with the call, and after that no new work begins. The
 * exception is a write that has reached the journal: from then on the call cannot be stopped, so that a
 * cancelled write is done completely or not at all.
 */
export function partsUntil(parts: VaultParts, outer: AbortSignal): VaultParts {
  const call = new Call(outer);
  const { signal } = call;
  const largeNotes = parts.largeNotes && notesUntil(parts.largeNotes, signal);
  return {
    ...parts,
    parse: (text) => parsedNote(text, parts.settings.dialect, largeNotes),
    pacer: () => new Pacer(Number.POSITIVE_INFINITY, signal),
    store: stoppable(parts.store, signal),
    readable: stoppable(parts.readable, signal),
    indexer: stoppable(parts.indexer, signal),
    ...(largeNotes && { largeNotes }),
    reader: async () => stoppable(await untilAborted(parts.reader(), signal), signal),
    engine: async () => engineUntil(await untilAborted(parts.engine(), signal), signal),
    untilIndexed: () => parts.untilIndexed(signal),
    writer: async () => writerUntil(await untilAborted(parts.writer(), signal), call),
  };
}

/** One call, which can be stopped until it declares itself final. */
class Call {
  readonly #ending = new AbortController();
  readonly #outer: AbortSignal;
  readonly #stop = () => this.#ending.abort(this.#outer.reason);

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    // Many listeners are normal: many notes are read at once.
    setMaxListeners(0, this.signal);
    if (outer.aborted) this.#stop();
    else outer.addEventListener('abort', this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** From here on the call runs to its end. */
  commit(): void {
    this.signal.throwIfAborted();
    this.#outer.removeEventListener('abort', this.#stop);
  }
}

function engineUntil(engine: SearchEngine, signal: AbortSignal): SearchEngine {
  return {
    ...engine,
    search: (request, visible) => untilAborted(engine.search(request, visible, signal), signal),
    related: (path, limit, visible) => untilAborted(engine.related(path, limit, visible, signal), signal),
  };
}

/** A busy thread receives no message: the worker's owner terminates it on the signal. */
function notesUntil(notes: NoteWorker, signal: AbortSignal): NoteWorker {
  return {
    view: (text, dialect) => notes.view(text, dialect, signal),
    parse: (text, dialect) => notes.parse(text, dialect, signal),
    renameTag: (task) => notes.renameTag(task, signal),
    draft: (task) => notes.draft(task, signal),
    canvas: (task) => notes.canvas(task, signal),
    canvasPlace: (task) => notes.canvasPlace(task, signal),
    close: () => notes.close(),
  };
}

/** Waiting and planning can be cancelled; a finished plan is carried out. */
function writerUntil(writer: NoteWriter, call: Call): NoteWriter {
  return {
    named: (path) => untilAborted(writer.named(path), call.signal),
    repeated: (write) => untilAborted(writer.repeated(write), call.signal),
    commit(context, plan, scope) {
      const planned = async () => {
        call.signal.throwIfAborted();
        const made = await plan();
        if (made.steps.length > 0) call.commit();
        return made;
      };
      return untilAborted(writer.commit(context, planned, scope), call.signal);
    },
  };
}
