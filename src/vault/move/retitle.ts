import { logseqPageName } from '../../notes/dialects/logseq-page.ts';
import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import { parseFrontmatter, propertyByName } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect } from '../../notes/model.ts';
import { isNotePath, pathKey } from '../../notes/path.ts';
import { decodeText } from '../../notes/text.ts';
import type { Store } from '../../stores/store.ts';

/** The page's name by its `title::`, before and after. */
export interface Retitled {
  readonly from: string;
  readonly to: string;
}

export interface Titles {
  /** By old path: pages whose `title::` equals the file name; the title is changed with it. */
  readonly followed: ReadonlyMap<string, Retitled>;
  /** Page names from a `title::` that differs from the file name. */
  readonly kept: readonly { readonly path: string; readonly title: string }[];
}

/** In Logseq `title::` names a page; without it the file name does. */
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
