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
  /** Those there were, and those of more notes; in notes that the caller does not see `unseen`. */
  readonly steps: readonly PlannedStep[];
  /** Only notes that the caller sees, as below. */
  readonly relinked: readonly RelinkedNote[];
  readonly lost: FollowedHeadings['lost'];
}

/**
 * The steps of a change that moves no file, and those in which links follow headings whose text it changes.
 * @param planned all in notes that the caller sees
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
