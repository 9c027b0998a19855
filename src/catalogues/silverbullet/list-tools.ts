import * as z from 'zod';
import { noteList } from '../../operations/note-list.ts';
import { noteRead } from '../../operations/note-read.ts';
import { vaultSearch } from '../../operations/vault-search.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { includeTrash, pageName } from './fields.ts';
import { blurred, handOut } from './markers.ts';
import { pageAt } from './page.ts';
import { isInTrash, pageOf, pathOf } from './page-path.ts';
import { searchPages } from './search.ts';
import { tool } from './tool.ts';

const listPages = tool({
  name: 'list_pages',
  title: 'List pages',
  description:
    'Every page of the space, the newest first, each with {page, path, lastModified}. This lastModified is rounded to the second: it shows what is new and is no version for write_page, which read_page returns.',
  fields: { include_trash: includeTrash },
  operations: [noteList],
  async answer({ include_trash: withTrash = false }, context) {
    const session = await context.vault();
    await session.untilIndexed(context.signal);
    const pages: { page: string; path: string; lastModified: number }[] = [];
    for await (const some of session.matching({ kinds: ['note'] }, '-mtime'))
      for (const { path, mtimeMs } of some)
        if (path.endsWith('.md') && (withTrash || !isInTrash(path)))
          pages.push({ page: pageOf(path), path, lastModified: blurred(mtimeMs) });
    return { facts: { count: pages.length, pages, ...(await lacking(context)) } };
  },
});

const readPage = tool({
  name: 'read_page',
  title: 'Read page',
  description:
    'A page in two blocks: first {path, lastModified} as JSON, then the raw Markdown. lastModified is the version: give it to write_page as expected_last_modified. The name may come with or without .md.',
  fields: { page: pageName },
  operations: [noteRead],
  async answer({ page }, { vault }) {
    const note = await pageAt(pathOf(page), await vault());
    return { facts: { path: note.path, lastModified: handOut(note) }, body: note.parsed.text };
  },
});

const search = tool({
  name: 'search_pages',
  title: 'Search pages',
  description:
    'Pages whose name or text holds the query, without regard to case, the best first, each with a snippet and the number of matches. A query of several words also finds pages that have all of them apart. lastModified is rounded to the second and no version for write_page, which read_page returns.',
  fields: {
    query: z.string().min(1).describe('Text to find'),
    limit: z.coerce.number().int().positive().max(100).optional().describe('Pages at most. Default 20'),
    include_trash: includeTrash,
  },
  operations: [vaultSearch, noteRead],
  async answer({ query, limit = 20, include_trash: withTrash = false }, context) {
    const { hits, ...notice } = await searchPages({ query, limit, withTrash }, context);
    return { facts: { query, count: hits.length, hits, ...(await lacking(context)), ...notice } };
  },
});

/** The notice that the answer may be incomplete. */
async function lacking({ vault }: ToolContext): Promise<{ notice?: string }> {
  const notice = (await vault()).staleness();
  return notice === undefined ? {} : { notice };
}

export const LIST_TOOLS: readonly CatalogueTool[] = [listPages, readPage, search];
