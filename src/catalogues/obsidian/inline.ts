import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import { noteWrite } from '../../operations/note-write.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { ToolContext } from '../catalogue.ts';

/** Inserts text at the start or end of a note's body without a line break. */
export const insertInline = {
  operations: [noteRead, notePatch, noteWrite],
  async at(place: 'start' | 'end', note: OpenedNote, content: string, { run }: ToolContext): Promise<void> {
    const { text, bodyStart } = note.parsed;
    const end = place === 'start' ? bodyStart : text.replace(/(?:\r\n|\n)+$/, '').length;
    const at = Math.max(end, bodyStart);
    const body = text.slice(0, at) + content + text.slice(at);
    // The whole text, properties included: the note must not have changed since it was read.
    await run(noteWrite, { path: note.path, body, if_match: note.etag });
  },
};
