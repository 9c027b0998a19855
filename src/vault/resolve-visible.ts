import type { NoteIndexReader } from '../index/note-index.ts';
import { resolveLink } from '../notes/links/resolve.ts';
import type { Dialect } from '../notes/model.ts';
import type { Access } from './access.ts';

/**
 * The file a wikilink opens among those the caller may see, by the vault's dialect.
 * @param source path of the note that contains the link
 * @param target without a subpath
 */
export async function resolveVisible(
  source: string,
  target: string,
  reader: NoteIndexReader,
  access: Access,
  dialect: Dialect,
): Promise<string | undefined> {
  const visible = (paths: readonly string[]) => paths.filter((path) => access.mayRead(path));
  const named = new Map<string, readonly string[]>();
  const pages = await reader.pageNames();
  // The rules are run to learn which names they need: missing names are loaded, then the rules run again.
  for (;;) {
    const wanted = new Set<string>();
    const byName = (key: string) => {
      if (!named.has(key)) wanted.add(key);
      return named.get(key) ?? [];
    };
    const byPageName = (key: string) => visible(pages.get(key) ?? []);
    const { path } = resolveLink(source, target, 'wiki', { byName, byPageName }, dialect);
    if (wanted.size === 0) return path;
    for (const key of wanted) named.set(key, visible(await reader.filesNamed(key)));
  }
}
