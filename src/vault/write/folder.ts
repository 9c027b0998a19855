import { LecternError } from '../../errors.ts';
import { assertCreatable, dirName, normalizeFolder } from '../../notes/path.ts';
import type { Access } from '../access.ts';
import { listFolders } from '../folders.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { contextOf } from './edit.ts';
import { placeFor } from './target.ts';
import type { FolderResult, WriteOptions } from './types.ts';
import type { WritePlan } from './write-plan.ts';

/**
 * Creates an empty folder. A name that differs from an existing folder in case or Unicode form only means
 * that folder.
 * @throws LecternError `exists`, `invalid_path`, `forbidden`, `read_only`, `unavailable` where the store has
 *   no empty folders
 */
export async function makeFolder(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  input: string,
  options: WriteOptions,
): Promise<FolderResult> {
  const writer = await parts.writer();
  const asked = normalizeFolder(input);
  if (asked === '') throw new LecternError('invalid_path', 'The folder has no name.', { next: 'Name it.' });
  assertCreatable(asked);
  if (parts.store.makeFolder === undefined)
    throw new LecternError('unavailable', 'In this vault a folder is there as long as notes are in it.', {
      next: 'Create a note in it.',
    });
  const plan = async (): Promise<WritePlan<FolderResult>> => {
    access.assertWritable(asked);
    const place = await placeFor(parts, access, `${asked}/x.md`);
    const path = dirName(place.path);
    access.assertWritable(path);
    const isShown = (await listFolders(parts, access)).some((folder) => folder.path === path);
    if (isShown)
      throw new LecternError('exists', `${path} exists already.`, {
        details: { path },
        next: 'Choose another name, or use the folder that is there.',
      });
    const { madeFolder } = place;
    // An existing folder without a visible file counts as new.
    const isMade = madeFolder !== undefined && !options.dryRun;
    return {
      summary: `make folder ${path}`,
      steps: isMade ? [{ action: 'make_folder', path, madeFolder }] : [],
      decisive: true,
      answer: ({ writeId }) => ({ path, writeId, dryRun: options.dryRun ?? false }),
    };
  };
  return (await writer.commit(contextOf(parts, access, actor, options), plan)).answer;
}
