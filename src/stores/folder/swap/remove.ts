import { etagOf } from '../../../notes/etag.ts';
import type { ReplaceOptions } from '../../store.ts';
import type { Containment } from '../contain/contain.ts';
import { conflict, storeError } from '../contain/errno.ts';
import { takeAway } from '../contain/place.ts';
import { openStable } from '../read.ts';
import { locateForRemoval } from './move.ts';
import { isStillRead, type ReplaceContext } from './replace.ts';
import { openSwap } from './swap.ts';

/**
 * Permanently removes a file if it is the version that was read. It is renamed first and checked again: what
 * an editor saved meanwhile is put back, and what one writes to it within a second becomes a conflict copy.
 */
export async function removeFile(
  wall: Containment,
  path: string,
  { expectedEtag }: ReplaceOptions,
  { maxBytes, activity, late }: ReplaceContext,
): Promise<void> {
  const located = await locateForRemoval(wall, path);
  const { folder, name } = located;
  try {
    const old = await openStable(wall, located, maxBytes);
    let watched = false;
    try {
      if (etagOf(old.bytes) !== expectedEtag) throw conflict(located.path);
      const swap = await openSwap(folder, expectedEtag);
      try {
        const isTaken = takeAway(folder.at(name), swap.at(name), old.stats);
        if (!isTaken || !(await isStillRead(wall.drive, old))) {
          activity.noticeOther(located.path);
          throw conflict(located.path);
        }
        await swap.discard();
      } finally {
        await swap.settle();
      }
      await folder.sync();
      late.watch(wall, located.path, old);
      watched = true;
    } finally {
      if (!watched) await wall.drive.close(old.fd);
    }
  } catch (error) {
    throw storeError(error, path);
  } finally {
    await folder.close();
  }
}
