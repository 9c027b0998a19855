import { LecternError } from '../errors.ts';
import { isLogseqJournalName, logseqFileNames } from './dialects/logseq-page.ts';
import { DIALECT_RULES } from './dialects/rules.ts';
import type { Dialect } from './model.ts';

/** Dialects whose people speak of pages by name, without folder and ending. */
export type PageDialect = Exclude<Dialect, 'obsidian'>;

export function hasPages(dialect: Dialect): dialect is PageDialect {
  return DIALECT_RULES[dialect].pages;
}

/**
 * Where the program keeps a new page of this name: SilverBullet by the name itself, Logseq in `pages/`
 * with its spelling of `/` and reserved characters, or in `journals/` for a day.
 * @returns a path that is not checked yet
 * @throws LecternError `invalid_path` for a name the program does not take
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
 * Beside what no file may be called: the names of pages that the vault's program cannot open or link to.
 * @throws LecternError `invalid_path`
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
