import { isNotePath } from '../../notes/path.ts';
import { linkBacklinks } from '../../operations/link-backlinks.ts';
import { linkForward } from '../../operations/link-forward.ts';
import { noteList } from '../../operations/note-list.ts';
import { noteRead } from '../../operations/note-read.ts';
import { vaultSearch } from '../../operations/vault-search.ts';
import type { CallContext, CatalogueTool } from '../catalogue.ts';
import { backlinksOf, outgoingOf } from './page-links.ts';
import { Pages } from './pages.ts';
import { searchPlan } from './search-intent.ts';
import { tool } from './tool.ts';
import { treeOf } from './tree.ts';

/** Largest number of results, as in the system's reference. */
const LIMIT = 20;

export const SEARCH_OPERATIONS = [vaultSearch, noteRead];

/** Matching pages, best first. */
export async function searchPages(query: string, { run, vault }: CallContext): Promise<readonly unknown[]> {
  const { intent, query: q } = searchPlan(query);
  if (q === '') return [];
  const mode = intent === 'keyword' ? 'lexical' : 'hybrid';
  const { results } = await run(vaultSearch, { q, mode, limit: LIMIT });
  const pages = new Pages(await vault());
  const hits = results.filter(({ path }) => isNotePath(path));
  const slugs = await pages.slugs(hits.map(({ path }) => path));
  const titles = await pages.titles(hits.map(({ path }) => path));
  return hits.map(({ path, snippet, score }) => ({
    slug: slugs.get(path) ?? '',
    title: titles.get(path) ?? '',
    snippet,
    score,
  }));
}

export const TREE_OPERATIONS = [noteList];

/** All pages as a tree. */
export async function pageTree({ vault }: CallContext): Promise<readonly unknown[]> {
  return treeOf(await new Pages(await vault()).all());
}

export const slugField = { slug: { description: 'Slug of the page', required: true } } as const;

export const DISCOVERY_TOOLS: readonly CatalogueTool[] = [
  tool({
    name: 'search',
    description: 'Search workspace pages by content and title',
    fields: { query: { description: 'What to search for', required: true } },
    operations: SEARCH_OPERATIONS,
    answer: ({ query }, context) => searchPages(query, context),
  }),
  tool({
    name: 'get_page_tree',
    description: 'Get the full hierarchical page tree',
    fields: {},
    operations: TREE_OPERATIONS,
    answer: (_, context) => pageTree(context),
  }),
  tool({
    name: 'get_backlinks',
    description: 'Get all pages that link to a specified page',
    fields: slugField,
    operations: [noteRead, linkBacklinks],
    async answer({ slug }, { vault }) {
      const pages = new Pages(await vault());
      return await backlinksOf(await pages.withSlug(slug), pages, await vault());
    },
  }),
  tool({
    name: 'get_outgoing_links',
    description: 'Get all outgoing wiki-links from a page',
    fields: slugField,
    operations: [noteRead, linkForward],
    async answer({ slug }, { vault }) {
      const pages = new Pages(await vault());
      return await outgoingOf(await pages.withSlug(slug), pages, await vault());
    },
  }),
];
