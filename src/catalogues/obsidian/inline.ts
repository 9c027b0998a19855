import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import { noteWrite } from '../../operations/note-write.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { ToolContext } from '../catalogue.ts';

/** Text put right at the start or the end of a note's body, with no line break of its own. */
export const insertInline = {
  operations: [noteRead, notePatch, noteWrite],
  async at(place: 'start' | 'end', note: OpenedNote, content: string, { run }: ToolContext): Promise<void> {
    const { text, bodyStart } = note.parsed;
    const end = place === 'start' ? bodyStart : text.replace(/(?:\r\n|\n)+$/, '').length;
    const at = Math.max(end, bodyStart);
    const body = text.slice(0, at) + content + text.slice(at);
    // With the whole text, properties included: what it is based on has to be there still.
    await run(noteWrite, { path: note.path, body, if_match: note.etag });
  },
};
