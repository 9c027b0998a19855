import { etagOf } from '../../../notes/etag.ts';
import { encodeText } from '../../../notes/text.ts';

/**
 * A new id in Obsidian's form, 16 hex digits. It is a hash of `from`, so that the same edit of the same canvas
 * gives the same id, in a dry run as well.
 *
 * @param from JSON data that identifies the canvas and the edit
 */
export function newId(from: readonly unknown[], isTaken: (id: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const id = etagOf(encodeText(JSON.stringify([...from, attempt])));
    if (!isTaken(id)) return id;
  }
}
