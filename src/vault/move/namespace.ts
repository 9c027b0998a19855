import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import { baseName, dirName, isNotePath, joinPath, pathKey, stem } from '../../notes/path.ts';
import type { Access } from '../access.ts';
import type { VaultParts } from '../parts.ts';

/**
 * How Logseq encodes the `/` of a page name in a file name: now, and in older graphs. A `.` may also be a
 * plain dot.
 */
const SEPARATORS = ['___', '%2F'];

/** A limit above any real number of pages in one namespace. */
const MAX_PAGES = 10_000;

export interface PageBelow {
  readonly path: string;
  readonly to: string;
}

/**
 * The pages below a renamed Logseq page, with their new paths: the page `a/b` is in the namespace `a` and
 * moves with it. Empty in other dialects and when the name stays.
 */
export async function pagesBelow(
  parts: VaultParts,
  access: Access,
  from: string,
  to: string,
): Promise<readonly PageBelow[]> {
  if (!DIALECT_RULES[parts.settings.dialect].pageNamesInFiles || !isNotePath(from) || stem(from) === stem(to))
    return [];
  await parts.indexer.sync();
  const reader = await parts.reader();
  const found: PageBelow[] = [];
  const above = stem(from).normalize('NFC');
  for (const separator of SEPARATORS) {
    const start = pathKey(joinPath(dirName(from), above + separator));
    for (const path of await reader.complete(start, MAX_PAGES, access.filter)) {
      if (!pathKey(path).startsWith(start) || dirName(path) !== dirName(from)) continue;
      // Each name is written in one form.
      const renamed = stem(to).replaceAll('___', separator);
      const below = baseName(path).normalize('NFC').slice(above.length);
      found.push({ path, to: joinPath(dirName(to), renamed + below) });
    }
  }
  return found;
}
