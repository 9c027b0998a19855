import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import { baseName, dirName, isNotePath, joinPath, pathKey, stem } from '../../notes/path.ts';
import type { Access } from '../access.ts';
import type { VaultParts } from '../parts.ts';

/** How Logseq writes the `/` of a page's name into a file's: now, and in older graphs. A `.` may be just that. */
const SEPARATORS = ['___', '%2F'];

/** More pages than anybody keeps below one. */
const MAX_PAGES = 10_000;

export interface PageBelow {
  readonly path: string;
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
  await parts.indexer.sync();
  const reader = await parts.reader();
  const found: PageBelow[] = [];
  const above = stem(from).normalize('NFC');
  for (const separator of SEPARATORS) {
    const start = pathKey(joinPath(dirName(from), above + separator));
    for (const path of await reader.complete(start, MAX_PAGES, access.filter)) {
      if (!pathKey(path).startsWith(start) || dirName(path) !== dirName(from)) continue;
      // One name is written in one form.
      const renamed = stem(to).replaceAll('___', separator);
      const below = baseName(path).normalize('NFC').slice(above.length);
      found.push({ path, to: joinPath(dirName(to), renamed + below) });
    }
  }
  return found;
}
