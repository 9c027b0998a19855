import type { NoteIndexWriter } from '../../note-index.ts';
import type { SqliteIndexWriter } from './writer.ts';

/** Adapts the synchronous SQLite writer to the asynchronous port. */
export function writerPort(writer: SqliteIndexWriter): NoteIndexWriter {
  return {
    epoch: async () => writer.epoch(),
    known: async () => writer.known(),
    isComplete: async () => writer.isComplete(),
    markComplete: async () => writer.markComplete(),
    problems: async () => writer.problems(),
    apply: async (upserts, removals) => writer.apply(upserts, removals),
    beginBulk: async () => writer.beginBulk(),
    endBulk: async () => writer.endBulk(),
    takeOver: async () => writer.takeOver(),
    tidy: async () => writer.tidy(),
    touch: async (entries) => writer.touch(entries),
    close: async () => writer.close(),
  };
}
