import { dirName } from '../../notes/path.ts';
import { childFolder, type Page } from './pages.ts';

/** A page and its children, as clients see them. */
export interface TreeNode {
  readonly slug: string;
  readonly title: string;
  readonly page_type: 'page' | 'folder';
  readonly icon?: string;
  readonly children: readonly TreeNode[];
}

/**
 * The top pages and everything below them, sorted by title. A page's children are in the folder of its name.
 */
export function treeOf(pages: readonly Page[]): readonly TreeNode[] {
  const sorted = pages
    .map((page) => ({ page, key: `${page.title.toLowerCase()}\0${page.slug}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const below = new Map<
    string,
    { readonly page: Page; readonly node: TreeNode; readonly children: TreeNode[] }
  >();
  for (const { page } of sorted) {
    const { slug, title, kind, icon } = page;
    const children: TreeNode[] = [];
    const node = { slug, title, page_type: kind, ...(icon !== undefined && { icon }), children };
    below.set(childFolder(page.path), { page, node, children });
  }
  const top: TreeNode[] = [];
  for (const { page, node } of below.values()) (below.get(dirName(page.path))?.children ?? top).push(node);
  return top;
}
