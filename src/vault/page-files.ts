import type { NoteIndexReader } from '../index/note-index.ts';
import { logseqFileNames } from '../notes/dialects/logseq-page.ts';
import type { PageDialect } from '../notes/page-name.ts';
import { nameKey, pathKey } from '../notes/path.ts';
import type { Access } from './access.ts';

/**
 * The visible files that a page name means in its program: the ones a link would open. SilverBullet: the page
 * at exactly that path. Logseq: the files that could store a page of that name, otherwise the pages with that
 * `title::` or `alias::`.
 */
export async function filesOfPage(
  name: string,
  dialect: PageDialect,
  reader: NoteIndexReader,
  access: Access,
): Promise<readonly string[]> {
  const found = await FILES_OF_PAGE[dialect](name, reader, (path) => access.mayRead(path));
  return found.filter((path) => access.mayRead(path)).sort();
}

type PageFinder = (
  name: string,
  reader: NoteIndexReader,
  isVisible: (path: string) => boolean,
) => Promise<readonly string[]>;

const FILES_OF_PAGE: Readonly<Record<PageDialect, PageFinder>> = {
  async silverbullet(name, reader) {
    const wanted = `${name}.md`.normalize('NFC');
    const named = await reader.filesNamed(nameKey(wanted));
    return named.filter((path) => path.normalize('NFC') === wanted);
  },
  async logseq(name, reader, isVisible) {
    for (const fileName of logseqFileNames(name)) {
      const named = (await reader.filesNamed(nameKey(`${fileName}.md`))).filter(isVisible);
      if (named.length > 0) return named;
    }
    return (await reader.pageNames()).get(pathKey(name)) ?? [];
  },
};
