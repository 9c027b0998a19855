import { isLecternError } from '../../errors.ts';
import { dirName, joinPath, pathKey, stem } from '../../notes/path.ts';
import { noteDelete } from '../../operations/note-delete.ts';
import { noteMove } from '../../operations/note-move.ts';
import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import { noteWrite } from '../../operations/note-write.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { slugField } from './discovery-tools.ts';
import { invalidParams } from './failures.ts';
import { writtenText } from './links.ts';
import { childFolder, type Page, Pages } from './pages.ts';
import { adoptGhostLinks, RELINK_OPERATIONS, showTitle } from './relink.ts';
import { asNoteText } from './rule-start.ts';
import { checkedTitle, fileNameFor } from './titles.ts';
import { tool } from './tool.ts';

/** Limit of pages with the same title in one folder. */
const MOST_NAMESAKES = 1000;

const createPage = tool({
  name: 'create_page',
  description: 'Create a new page in the workspace',
  fields: {
    title: { description: 'Title of the page, 200 characters at most', required: true },
    content: { description: 'Markdown; links to pages as [[Display|slug]]' },
    parent_slug: { description: 'Slug of the page it goes below; the top when left out' },
  },
  operations: [...RELINK_OPERATIONS, noteWrite],
  async answer({ title: wanted, content: given, parent_slug: parentSlug }, context) {
    const title = checkedTitle(wanted);
    const session = await context.vault();
    const pages = new Pages(session);
    const folder = parentSlug == null ? '' : childFolder((await pages.withSlug(parentSlug)).path);
    const path = await inFreePlace({ folder, title }, pages, context, async (place) => {
      const content = asNoteText(given ?? '');
      const body = await writtenText({ path: place, content, current: '' }, pages, session);
      const written = await context.run(noteWrite, {
        path: place,
        body,
        if_not_exists: true,
        ...(stem(place) !== title && { frontmatter: { title } }),
      });
      return written.path;
    });
    const slug = await pages.begin(path, title);
    await adoptGhostLinks(slug, path, context);
    return { slug, title, page_id: await pages.idOf(path) };
  },
});

const updateContent = tool({
  name: 'update_page_content',
  description: 'Replace a page’s text content',
  fields: {
    ...slugField,
    content: { description: 'Markdown; links to pages as [[Display|slug]]', required: true },
  },
  operations: [noteRead, noteWrite],
  async answer({ slug, content }, context) {
    const session = await context.vault();
    const pages = new Pages(session);
    const page = await pages.withSlug(slug);
    const path = notePath(page);
    const { note } = page;
    const current = note?.parsed.text ?? '';
    const text = asNoteText(content, current.slice(note?.parsed.bodyStart));
    const body = await writtenText({ path, content: text, current }, pages, session);
    const based = note === undefined ? { if_not_exists: true } : { if_match: note.etag };
    await context.run(noteWrite, { path, body, ...based });
    if (page.kind === 'folder') pages.takePlace(page.path, path);
    return { slug, title: page.title, updated: true };
  },
});

const updateMetadata = tool({
  name: 'update_page_metadata',
  description: 'Update a page’s title or icon without changing content',
  fields: {
    ...slugField,
    title: { description: 'New title; the slug and links stay' },
    icon: { description: 'New icon; empty or null takes it away' },
  },
  operations: [noteRead, noteWrite, notePatch],
  async answer({ slug, title: given, icon }, context) {
    if (given == null && icon === undefined) throw invalidParams('Nothing to update: give title or icon');
    const title = given == null ? undefined : checkedTitle(given);
    const pages = new Pages(await context.vault());
    const page = await pages.withSlug(slug);
    const path = notePath(page);
    const wantsIcon = icon === undefined ? page.icon : icon?.trim() || undefined;
    if (page.kind === 'folder') {
      const frontmatter = {
        ...(title !== undefined && title !== page.title && { title }),
        ...(wantsIcon && { icon: wantsIcon }),
      };
      await context.run(noteWrite, { path, body: '', frontmatter, if_not_exists: true });
      pages.takePlace(page.path, path);
    } else {
      await setProperties(
        path,
        {
          ...(title !== undefined &&
            title !== page.title && { title: title === stem(path) ? undefined : title }),
          ...(wantsIcon !== page.icon && { icon: wantsIcon }),
        },
        context,
      );
    }
    return { slug, title: title ?? page.title, icon: wantsIcon ?? null };
  },
});

const movePage = tool({
  name: 'move_page',
  description: 'Move a page to a new parent or to root',
  fields: {
    ...slugField,
    new_parent_slug: { description: 'Slug of the new parent; the top when null or left out' },
  },
  operations: [noteRead, noteMove, notePatch],
  async answer({ slug, new_parent_slug: parentSlug }, context) {
    const pages = new Pages(await context.vault());
    const page = await pages.withSlug(slug);
    const parent = parentSlug == null ? undefined : await pages.withSlug(parentSlug);
    const folder = parent === undefined ? '' : childFolder(parent.path);
    const own = childFolder(page.path);
    if (folder === own || folder.startsWith(`${own}/`))
      throw invalidParams('A page cannot be moved below itself');
    if (folder !== dirName(page.path)) await moveTo(page, folder, page.title, pages, context);
    return { slug, title: page.title, parent_slug: parent?.slug ?? null };
  },
});

const renamePage = tool({
  name: 'rename_page',
  description: 'Rename a page and auto-update all wiki-links',
  fields: { ...slugField, new_title: { description: 'New title, 200 characters at most', required: true } },
  operations: [...RELINK_OPERATIONS, noteMove],
  async answer({ slug, new_title: given }, context) {
    const title = checkedTitle(given);
    const pages = new Pages(await context.vault());
    const page = await pages.withSlug(slug);
    const { path, links } = await moveTo(page, dirName(page.path), title, pages, context);
    const newSlug = title === page.title ? slug : await pages.rename(path, title);
    const more =
      page.kind === 'page' && title !== page.title
        ? await followTitle(page, path, newSlug, title, context)
        : 0;
    return { slug: newSlug, title, old_slug: slug, updated_links: links + more };
  },
});

const deletePage = tool({
  name: 'delete_page',
  description: 'Soft-delete a page with cascade to children',
  fields: slugField,
  operations: [noteRead, noteDelete],
  async answer({ slug }, context) {
    const page = await new Pages(await context.vault()).withSlug(slug);
    const { children_total: below = 0 } = await context.run(noteDelete, {
      path: notePath(page),
      with_children: true,
    });
    return { slug, title: page.title, deleted: true, deleted_pages: below + (page.kind === 'page' ? 1 : 0) };
  },
});

/**
 * Updates links after a new title: their display texts, and links to the new slug that existed before its
 * page.
 */
async function followTitle(
  page: Page,
  path: string,
  slug: string,
  title: string,
  context: ToolContext,
): Promise<number> {
  const names = [page.title, stem(page.path), stem(path)];
  const areNames = page.title === stem(page.path) && title === stem(path);
  const shown = areNames ? 0 : await showTitle(names, title, path, context);
  return shown + (await adoptGhostLinks(slug, path, context));
}

/** Path of the page's note, or the one it would have. */
function notePath({ path, kind }: Page): string {
  return kind === 'page' ? path : `${path}.md`;
}

interface Wanted {
  readonly folder: string;
  readonly title: string;
  /** The page's own path, which counts as free. */
  readonly own?: string;
}

/**
 * Puts a page into a folder at the first free path for its title: the file of that name, or one with a
 * number. A path can also turn out to be taken when the page is put there: another program was faster, or the
 * caller may not see the file.
 *
 * @throws LecternError that of `put`
 */
async function inFreePlace<T>(
  { folder, title, own }: Wanted,
  pages: Pages,
  { vault, signal }: ToolContext,
  put: (path: string) => Promise<T>,
): Promise<T> {
  const session = await vault();
  const name = fileNameFor(title);
  for (let number = 1; ; number++) {
    signal.throwIfAborted();
    const path = joinPath(folder, `${number === 1 ? name : `${name} ${number}`}.md`);
    const isOwn = own !== undefined && pathKey(path) === pathKey(own);
    const isLast = number === MOST_NAMESAKES;
    const isTaken = async () =>
      (await session.changedAt(path)) !== undefined || (await pages.hasNotes(childFolder(path)));
    if (!isOwn && !isLast && (await isTaken())) continue;
    try {
      return await put(path);
    } catch (error) {
      if (!isLecternError(error) || error.code !== 'exists' || isOwn || isLast) throw error;
    }
  }
}

/**
 * Moves a page with its children to a folder under a title. When the file name cannot express the title, it
 * is set as a property.
 */
async function moveTo(
  page: Page,
  folder: string,
  title: string,
  pages: Pages,
  context: ToolContext,
): Promise<{ path: string; links: number }> {
  const wanted = { folder, title, own: notePath(page) };
  const { to, links } = await inFreePlace(wanted, pages, context, async (place) => {
    const [from, to] = page.kind === 'page' ? [page.path, place] : [`${page.path}/`, childFolder(place)];
    if (to === page.path) return { to, links: 0 };
    return await context.run(noteMove, { from, to, with_children: true });
  });
  if (page.kind === 'page') {
    const { parsed } = await (await context.vault()).open(to);
    const hasTitle = Object.keys(parsed.frontmatter?.data ?? {}).some((key) => key.toLowerCase() === 'title');
    if (hasTitle || stem(to) !== title) await setProperties(to, { title }, context);
  }
  return { path: to, links };
}

/** Sets properties of a note; undefined removes one. */
async function setProperties(
  path: string,
  properties: Readonly<Record<string, string | undefined>>,
  { run, vault }: ToolContext,
): Promise<void> {
  const { parsed } = await (await vault()).open(path);
  const there = new Set(Object.keys(parsed.frontmatter?.data ?? {}).map((key) => key.toLowerCase()));
  const ops: { op: string; key: string; value?: string }[] = [];
  for (const [key, value] of Object.entries(properties)) {
    if (value !== undefined) ops.push({ op: 'set_frontmatter', key, value });
    else if (there.has(key)) ops.push({ op: 'delete_frontmatter', key });
  }
  if (ops.length > 0) await run(notePatch, { path, ops });
}

export const WRITE_TOOLS: readonly CatalogueTool[] = [
  createPage,
  updateContent,
  updateMetadata,
  movePage,
  renamePage,
  deletePage,
];
