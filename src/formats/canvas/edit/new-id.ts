import { etagOf } from '../../../notes/etag.ts';
import { encodeText } from '../../../notes/text.ts';

/**
 * An id as Obsidian makes them, 16 hex digits. It is made of what it is for, so that the same edit of the same canvas
 * has the same answer, tried or done.
 */
export function newId(from: readonly unknown[], isTaken: (id: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const id = etagOf(encodeText(JSON.stringify([...from, attempt])));
    if (!isTaken(id)) return id;
  }
}
