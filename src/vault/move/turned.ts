import type { PlannedStep } from '../../journal/journal.ts';
import { parseNote } from '../../notes/parse.ts';
import { decodeText } from '../../notes/text.ts';
import type { StoredFile } from '../../stores/store.ts';
import type { FileChange } from './relink.ts';
import { keepsLinks } from './verify.ts';

/**
 * The notes in which a link will lead elsewhere for who sees everything, as no change to it could be made that does not
 * tell the caller of hidden files.
 *
 * @param sources notes that the caller sees, by their paths before the change
 * @param change among all files
 */
export async function turnedNotes(
  sources: readonly string[],
  steps: readonly PlannedStep[],
  change: FileChange,
  read: (source: string) => Promise<StoredFile | undefined>,
): Promise<readonly string[]> {
  const { dialect } = change.settings;
  const written = new Map(steps.map(({ path, after }) => [path, after]));
  const turned: string[] = [];
  for (const source of sources) {
    const file = await read(source).catch(() => undefined);
    const path = change.moved.get(source) ?? source;
    const before = file?.entry.kind === 'note' ? decodeText(file.bytes) : undefined;
    const after = file && decodeText(written.get(path) ?? file.bytes);
    if (!before?.ok || !after?.ok) continue;
    const linksOf = (text: string) => parseNote(text, { dialect }).links;
    if (!keepsLinks(source, linksOf(before.text), linksOf(after.text), [], change)) turned.push(path);
  }
  return turned;
}
