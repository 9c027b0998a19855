import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import { baseName, dirName, isNotePath, pathKey, stem } from '../../notes/path.ts';
import type { StoreEntry } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import type { VaultParts } from '../parts.ts';

/** How Logseq writes the `/` of a page's name into a file's: now, and in older graphs. A `.` may be just that. */
const SEPARATORS = ['___', '%2F'];

export interface PageBelow {
  readonly entry: StoreEntry;
  readonly to: string;
}

/**
 * The pages below a Logseq page that gets another name, with their new places: there `a/b` is a page in the
 * namespace `a`, and goes along when `a` is renamed. Elsewhere, and when the name stays, nothing does.
 */
export async function pagesBelow(
  parts: VaultParts,
  access: Access,
  from: string,
  to: string,
): Promise<readonly PageBelow[]> {
  if (!DIALECT_RULES[parts.settings.dialect].pageNamesInFiles || !isNotePath(from) || stem(from) === stem(to))
    return [];
  const { entries } = await parts.store.list(dirName(from));
  const folder = dirName(to) === '' ? '' : `${dirName(to)}/`;
  return entries.flatMap((entry) => {
    const { path } = entry;
    if (dirName(path) !== dirName(from) || !isNotePath(path) || !access.mayRead(path)) return [];
    const name = baseName(path).normalize('NFC');
    const above = stem(from).normalize('NFC');
    const separator = SEPARATORS.find((one) => pathKey(name).startsWith(pathKey(above + one)));
    if (separator === undefined) return [];
    // One name is written in one form.
    const renamed = stem(to).replaceAll('___', separator);
    return [{ entry, to: `${folder}${renamed}${name.slice(above.length)}` }];
  });
}
