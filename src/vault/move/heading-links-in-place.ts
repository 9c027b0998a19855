import type { PlannedStep } from '../../journal/journal.ts';
import type { Access } from '../access.ts';
import type { VaultParts } from '../parts.ts';
import type { PlanSize } from '../write/plan-size.ts';
import type { RelinkedNote } from '../write/types.ts';
import { FileTable } from './file-table.ts';
import {
  type ChangedHeadings,
  type FollowedHeadings,
  followHeadings,
  headingSources,
} from './heading-links.ts';
import { readIfThere } from './read-if-there.ts';

export interface FollowedInPlace {
  /** The given steps and those for further notes; the ones in notes the caller does not see are marked `unseen`. */
  readonly steps: readonly PlannedStep[];
  /** Only notes the caller sees; the same holds below. */
  readonly relinked: readonly RelinkedNote[];
  readonly lost: FollowedHeadings['lost'];
}

/**
 * The steps of a change that moves no file, with those that update links to headings whose text it changes.
 * @param planned steps in notes the caller sees
 * @throws LecternError `unavailable`
 */
export async function followInPlace(
  planned: readonly PlannedStep[],
  changed: ChangedHeadings,
  {
    size,
    ...parts
  }: { size: PlanSize } & Pick<VaultParts, 'store' | 'settings' | 'parse' | 'pacer' | 'reader'>,
  access: Access,
): Promise<FollowedInPlace> {
  if (changed.size === 0) return { steps: planned, relinked: [], lost: [] };
  const steps = new Map(planned.map((step) => [step.path, step]));
  const { store } = parts;
  const reader = await parts.reader();
  const linking = await headingSources(changed, reader);
  const all = await FileTable.of(reader);
  const mayRead = (path: string) => access.mayRead(path);
  const files = all.seenBy(access);
  const common = { changed, parts, size, writeAt: (path: string) => path };
  const theirs = await followHeadings(steps, {
    ...common,
    sources: linking.filter(mayRead),
    files,
    read: (path) => readIfThere(store, path),
  });
  const others = await followHeadings(steps, {
    ...common,
    sources: linking.filter((path) => !mayRead(path) && !access.isProtected(path)),
    files: all,
    read: (path) => readIfThere(store, path).catch(() => undefined),
  });
  for (const [path, { step }] of theirs.follows) steps.set(path, { ...steps.get(path), ...step });
  for (const [path, { step }] of others.follows) steps.set(path, { ...step, unseen: true });
  const relinked = [...theirs.follows].map(([path, { links }]) => ({ path, links }));
  return { steps: [...steps.values()], relinked, lost: theirs.lost };
}
