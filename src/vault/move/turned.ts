import type { PlannedStep } from '../../journal/journal.ts';
import { decodeText } from '../../notes/text.ts';
import type { StoredFile } from '../../stores/store.ts';
import type { VaultParts } from '../parts.ts';
import type { FileChange } from './relink.ts';
import { keepsLinks } from './verify.ts';

/**
 * The notes in which a link changes its target for a caller that sees everything, because updating the link
 * would reveal hidden files to this caller.
 *
 * @param sources notes the caller sees, by their paths before the change
 * @param change among all files
 */
export async function turnedNotes(
  sources: readonly string[],
  steps: readonly PlannedStep[],
  change: FileChange,
  { parse, pacer }: Pick<VaultParts, 'parse' | 'pacer'>,
  read: (source: string) => Promise<StoredFile | undefined>,
): Promise<readonly string[]> {
  const written = new Map(steps.map(({ path, after }) => [path, after]));
  const turned: string[] = [];
  const slices = pacer();
  for (const source of sources) {
    const file = await read(source).catch(() => undefined);
    const path = change.moved.get(source) ?? source;
    const before = file?.entry.kind === 'note' ? decodeText(file.bytes) : undefined;
    const after = file && decodeText(written.get(path) ?? file.bytes);
    if (!before?.ok || !after?.ok) continue;
    const links = (await parse(before.text)).links;
    const kept = after.text === before.text ? links : (await parse(after.text)).links;
    if (!(await keepsLinks(source, links, kept, [], change, slices))) turned.push(path);
  }
  return turned;
}
