import { LecternError } from '../errors.ts';
import { DIALECT_RULES } from '../notes/dialects/rules.ts';
import { hasPages, newPagePath } from '../notes/page-name.ts';
import { isNotePath, normalizePath } from '../notes/path.ts';
import type { Access } from './access.ts';
import { ambiguousName, statVisible } from './locate.ts';
import { filesOfPage } from './page-files.ts';
import type { VaultParts } from './parts.ts';

export interface PageAddress {
  /** The address may mean a folder as well. */
  readonly orFolder?: boolean;
}

/**
 * What a write is about, as a path: in a vault of Logseq or SilverBullet a page may be given by its name,
 * `Projects/Boat` for `pages/Projects___Boat.md`. A file of just that path comes first; a name that no page has is
 * where its program would keep it.
 * @throws LecternError `ambiguous` with candidates
 */
export async function pathOfPage(
  parts: VaultParts,
  access: Access,
  input: string,
  { orFolder = false }: PageAddress = {},
): Promise<string> {
  const { dialect } = parts.settings;
  const name = input.trim();
  if (!hasPages(dialect) || name === '' || name.endsWith('/') || isNotePath(name)) return input;
  if (await isFile(parts, access, name)) return input;
  const found = await filesOfPage(name, dialect, await parts.reader(), access);
  const beside =
    DIALECT_RULES[dialect].pageNamesInFiles && (await isFile(parts, access, `${name}.md`))
      ? [`${name}.md`]
      : [];
  const pages = [...new Set([...found, ...beside])];
  const [page] = pages;
  if (pages.length > 1) throw ambiguousName(name, pages);
  if (!orFolder) return page ?? newPagePath(name, dialect);
  if (page === undefined) return input;
  if (!(await isFolder(parts, access, name))) return page;
  throw new LecternError('ambiguous', `${name} is a page and a folder.`, {
    details: { candidates: [page, `${name}/`], total: 2 },
    next: `Call again with ${page} for the page or ${name}/ for the folder.`,
  });
}

async function isFile(parts: VaultParts, access: Access, path: string): Promise<boolean> {
  try {
    return (await statVisible(parts.store, access, normalizePath(path))) !== undefined;
  } catch {
    // No path of a file: a page's name may hold more than a path may.
    return false;
  }
}

async function isFolder(parts: VaultParts, access: Access, path: string): Promise<boolean> {
  try {
    const { entries } = await parts.store.list(normalizePath(path));
    return entries.some((entry) => access.mayRead(entry.path));
  } catch {
    return false;
  }
}
