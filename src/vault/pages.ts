import { LecternError } from '../errors.ts';
import { DIALECT_RULES } from '../notes/dialects/rules.ts';
import { hasPages, newPagePath } from '../notes/page-name.ts';
import { isNotePath, normalizePath } from '../notes/path.ts';
import type { Access } from './access.ts';
import { ambiguousName, statVisible } from './locate.ts';
import { filesOfPage } from './page-files.ts';
import type { VaultParts } from './parts.ts';

export interface PageAddress {
  /** The address may also mean a folder. */
  readonly orFolder?: boolean;
}

/**
 * The path a write is about: in a Logseq or SilverBullet vault a page may be given by its name,
 * `Projects/Boat` for `pages/Projects___Boat.md`. A file at exactly that path is preferred; for an unknown
 * name it is the path where the program would create the page.
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
    // Not a valid file path: a page name may contain more characters.
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
