import { LecternError } from '../errors.ts';
import { isLogseqJournalName, logseqFileNames } from './dialects/logseq-page.ts';
import { DIALECT_RULES } from './dialects/rules.ts';
import type { Dialect } from './model.ts';

/** Dialects in which pages are addressed by name, without folder and extension. */
export type PageDialect = Exclude<Dialect, 'obsidian'>;

/** Whether pages of a dialect are addressed by name. */
export function hasPages(dialect: Dialect): dialect is PageDialect {
  return DIALECT_RULES[dialect].pages;
}

/**
 * The path where the program stores a new page: SilverBullet uses the name itself, Logseq `pages/` with its
 * encoding of `/` and reserved characters, or `journals/` for a date.
 *
 * @returns a path that still has to be checked
 * @throws LecternError `invalid_path` for a name that the program does not accept
 */
export function newPagePath(name: string, dialect: PageDialect): string {
  assertPageName(`${name}.md`, dialect);
  return NEW_PAGES[dialect](name);
}

const NEW_PAGES: Readonly<Record<PageDialect, (name: string) => string>> = {
  silverbullet: (name) => `${name}.md`,
  logseq: (name) => {
    const [fileName = name, ...others] = logseqFileNames(name);
    return isLogseqJournalName(name)
      ? `journals/${others.find((one) => /^\d{4}_\d{2}_\d{2}$/.test(one)) ?? fileName}.md`
      : `pages/${fileName}.md`;
  },
};

/**
 * Checks a page name beyond the rules for files.
 *
 * @throws LecternError `invalid_path` for a name that the vault's program cannot open or link to
 */
export function assertPageName(path: string, dialect: Dialect): void {
  const name = path.replace(/\.md$/i, '');
  const found = DIALECT_RULES[dialect].notInPageNames?.exec(name);
  if (!found) return;
  throw new LecternError('invalid_path', `A SilverBullet page cannot be called ${JSON.stringify(name)}.`, {
    details: { path: name },
    next: `Choose a name without ${JSON.stringify(found[0])}.`,
  });
}
