import type { Dialect } from '../../notes/model.ts';
import { applyPatch } from '../../notes/patch/apply.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import { baseName } from '../../notes/path.ts';

/**
 * `applyPatch` on a note that has a name: links in it that name the note itself follow its headings.
 * @throws LecternError as `applyPatch` does
 */
export function patchNote(
  path: string,
  text: string,
  ops: readonly PatchOp[],
  dialect: Dialect,
): { text: string; renamedHeadings: readonly RenamedHeading[] } {
  const result = applyPatch(text, ops, { dialect, isSelfLink: (link) => isOwnName(path, link.target) });
  return { text: result.text, renamedHeadings: result.renamedHeadings };
}

/** A link in a note that names the note itself, as far as its bare name tells. */
function isOwnName(path: string, target: string): boolean {
  const name = baseName(path).toLowerCase();
  const wanted = baseName(target).toLowerCase();
  return target === '' || wanted === name || `${wanted}.md` === name;
}
