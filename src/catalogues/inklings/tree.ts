import { dirName } from '../../notes/path.ts';
import { childFolder, type Page } from './pages.ts';

/** A page with those below it, as clients see it. */
export interface TreeNode {
  readonly slug: string;
  readonly title: string;
  readonly page_type: 'page' | 'folder';
  readonly icon?: string;
  readonly children: readonly TreeNode[];
}

/** The pages at the top with everything below them: a page's children are in the folder of its name. */
export function treeOf(pages: readonly Page[]): readonly TreeNode[] {
  const below = new Map<string, { page: Page; node: TreeNode & { children: TreeNode[] } }>();
  for (const page of pages) {
    const { slug, title, kind, icon } = page;
    const node = { slug, title, page_type: kind, ...(icon !== undefined && { icon }), children: [] };
    below.set(childFolder(page.path), { page, node });
  }
  const top: TreeNode[] = [];
  for (const { page, node } of below.values()) {
    const parent = below.get(dirName(page.path));
    (parent?.node.children ?? top).push(node);
  }
  for (const { node } of below.values()) node.children.sort(byTitle);
  return top.sort(byTitle);
}

function byTitle(a: TreeNode, b: TreeNode): number {
  const [one, other] = [a.title.toLowerCase(), b.title.toLowerCase()];
  if (one !== other) return one < other ? -1 : 1;
  return a.slug < b.slug ? -1 : 1;
}
