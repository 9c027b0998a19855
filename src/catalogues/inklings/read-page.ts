import { dirName } from '../../notes/path.ts';
import { linkBacklinks } from '../../operations/link-backlinks.ts';
import { linkForward } from '../../operations/link-forward.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { CallContext, CatalogueTool } from '../catalogue.ts';
import { slugField } from './discovery-tools.ts';
import { shownText } from './links.ts';
import { sourcesOf, targetsOf } from './page-links.ts';
import { type OpenedPage, type Page, Pages } from './pages.ts';
import { asPageText } from './rule-start.ts';
import { tool } from './tool.ts';

/** The text of a page as clients see it; '' for a folder. */
export async function contentOf({ note }: OpenedPage, pages: Pages, { vault }: CallContext): Promise<string> {
  if (note === undefined) return '';
  const { path, parsed } = note;
  const content = await shownText({ path, text: parsed.text, from: parsed.bodyStart }, pages, await vault());
  return asPageText(content);
}

/** The slug of the page whose folder contains this one. */
async function parentOf({ path }: Page, pages: Pages, { vault }: CallContext): Promise<string | undefined> {
  const folder = dirName(path);
  if (folder === '') return undefined;
  const note = `${folder}.md`;
  const isNote = (await (await vault()).changedAt(note)) !== undefined;
  return await pages.slugOf(isNote ? note : folder);
}

export const readPage: CatalogueTool = tool({
  name: 'read_page',
  description: 'Read a page’s full content and metadata',
  fields: slugField,
  operations: [noteRead, linkBacklinks, linkForward],
  async answer({ slug }, context) {
    const session = await context.vault();
    const pages = new Pages(session);
    const page = await pages.withSlug(slug);
    const { note } = page;
    return {
      slug: page.slug,
      title: page.title,
      page_id: await pages.idOf(page.path),
      page_type: page.kind,
      icon: page.icon ?? null,
      parent_slug: (await parentOf(page, pages, context)) ?? null,
      content: await contentOf(page, pages, context),
      word_count: note?.parsed.counts.words ?? 0,
      outgoing_link_count: (await targetsOf(page, pages, session)).length,
      backlink_count: (await sourcesOf(page, session)).length,
      created_at: note === undefined ? null : new Date(note.birthtimeMs).toISOString(),
      updated_at: note === undefined ? null : new Date(note.mtimeMs).toISOString(),
    };
  },
});
