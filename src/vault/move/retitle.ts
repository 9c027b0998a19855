import { logseqPageName } from '../../notes/dialects/logseq-page.ts';
import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import { parseFrontmatter, propertyByName } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect } from '../../notes/model.ts';
import { isNotePath, pathKey } from '../../notes/path.ts';
import { decodeText } from '../../notes/text.ts';
import type { Store } from '../../stores/store.ts';

/** The name a page has by its `title::`, before and after. */
export interface Retitled {
  readonly from: string;
  readonly to: string;
}

export interface Titles {
  /** Pages whose title is the name of their file: it follows. By old path. */
  readonly followed: ReadonlyMap<string, Retitled>;
  /** Titles of other names, by which their pages are called whatever their files are. */
  readonly kept: readonly { readonly path: string; readonly title: string }[];
}

/** In Logseq `title::` says what a page is called, and the file's name only where there is none. */
export async function titlesOf(
  moved: ReadonlyMap<string, string>,
  store: Store,
  dialect: Dialect,
): Promise<Titles> {
  const followed = new Map<string, Retitled>();
  const kept: { path: string; title: string }[] = [];
  if (!DIALECT_RULES[dialect].pageNamesInFiles) return { followed, kept };
  for (const [path, to] of moved) {
    if (!isNotePath(path) || logseqPageName(path) === logseqPageName(to)) continue;
    const decoded = decodeText((await store.read(path)).bytes);
    if (!decoded.ok) continue;
    const frontmatter = parseFrontmatter(decoded.text, dialect);
    const title = propertyByName(frontmatter, 'title')?.value;
    if (typeof title !== 'string' || frontmatter?.problems.some(({ severity }) => severity === 'error'))
      continue;
    if (pathKey(title.trim()) === pathKey(logseqPageName(path)))
      followed.set(path, { from: title.trim(), to: logseqPageName(to) });
    else kept.push({ path: to, title: title.trim() });
  }
  return { followed, kept };
}
