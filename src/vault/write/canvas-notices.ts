import { isRecord } from '../../is-record.ts';
import type { Store } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import { statVisible } from '../locate.ts';
import type { WriteResult } from './types.ts';

const MOST_FILES = 20;
const MOST_NAMES = 5;

/**
 * Files that a patch adds to nodes and that do not exist for the caller; hidden files are reported like
 * missing ones.
 */
export async function withFileNotices(
  result: WriteResult,
  store: Store,
  access: Access,
): Promise<WriteResult> {
  const files = [...new Set((result.canvasOps ?? []).flatMap(({ file }) => file ?? []))].slice(0, MOST_FILES);
  const missing: string[] = [];
  // The canvas is written: a failed lookup must not turn that into an error.
  for (const file of files)
    if ((await statVisible(store, access, file).catch(() => null)) === undefined) missing.push(file);
  if (missing.length === 0) return result;
  return { ...result, notices: [...result.notices, `there is no file at ${missing.join(', ')}`] };
}

/** A summary of a patch, for the history. */
export function opNames(ops: readonly unknown[]): string {
  const names = ops.flatMap((op) => (isRecord(op) && typeof op.op === 'string' ? op.op.slice(0, 40) : []));
  const distinct = [...new Set(names)];
  return distinct.length <= MOST_NAMES
    ? distinct.join(', ')
    : `${distinct.slice(0, MOST_NAMES).join(', ')}, …`;
}
