import { isLecternError } from '../../errors.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { ResourceSource } from '../catalogue.ts';
import { pageTree, SEARCH_OPERATIONS, searchPages, TREE_OPERATIONS } from './discovery-tools.ts';
import { failure, resourceNotFound } from './failures.ts';
import { Pages } from './pages.ts';
import { contentOf } from './read-page.ts';

const WORKSPACE = 'inklings://workspace/';
const PAGE = `${WORKSPACE}page/`;
const SEARCH = `${WORKSPACE}search`;
const JSON_TYPE = 'application/json';

/** The page tree, and resource templates of a page and of a search. */
export const RESOURCES: ResourceSource = {
  prefix: WORKSPACE,
  resources: [
    {
      uri: `${WORKSPACE}tree`,
      name: 'Page Tree',
      description: 'Full page hierarchy as JSON',
      mimeType: JSON_TYPE,
    },
  ],
  templates: [
    {
      uriTemplate: `${PAGE}{slug}`,
      name: 'Page Content',
      description: 'Read a page’s content by slug',
      mimeType: 'text/markdown',
    },
    {
      uriTemplate: `${SEARCH}?q={query}`,
      name: 'Search Results',
      description: 'Search workspace pages by query',
      mimeType: JSON_TYPE,
    },
  ],
  operations: [...TREE_OPERATIONS, ...SEARCH_OPERATIONS, noteRead],
  async read(uri, context) {
    try {
      const json = (data: unknown) => ({
        contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(data) }],
      });
      if (uri === `${WORKSPACE}tree`) return json(await pageTree(context));
      const query = queryOf(uri);
      if (query !== undefined) return json(await searchPages(query, context));
      const slug = uri.startsWith(PAGE) ? decoded(uri.slice(PAGE.length)) : undefined;
      if (slug === undefined || slug === '') throw resourceNotFound(uri);
      const pages = new Pages(await context.vault());
      const text = await contentOf(await pages.withSlug(slug), pages, context);
      return { contents: [{ uri, mimeType: 'text/markdown', text }] };
    } catch (error) {
      if (isLecternError(error)) return failure(error);
      throw error;
    }
  },
};

/** The value of the parameter `q`; undefined for URIs of other resources. */
function queryOf(uri: string): string | undefined {
  const [path, query] = [uri.replace(/\?.*$/s, ''), /\?(.*)$/s.exec(uri)?.[1] ?? ''];
  if (path !== SEARCH) return undefined;
  return new URLSearchParams(query).get('q') ?? '';
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
