import { isLecternError } from '../../errors.ts';
import { noteMove } from '../../operations/note-move.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { tellWrite } from './audit-lines.ts';
import { pageName } from './fields.ts';
import { pageAt } from './page.ts';
import { forbiddenPath, invalidPath, isInTrash, pathOf, trashPathOf } from './page-path.ts';
import { tool } from './tool.ts';

const deletePage = tool({
  name: 'delete_page',
  title: 'Delete page (soft delete)',
  description:
    'Move a page to _trash/<YYYY-MM>/<its path>. Ask the user first. Returns the path in the trash; move_page brings the page back from there.',
  fields: { page: pageName },
  operations: [noteRead, noteMove],
  async answer({ page }, context) {
    const path = pathOf(page);
    if (isInTrash(path)) throw forbiddenPath(path, 'the page is in the trash already');
    const note = await pageAt(path, await context.vault());
    const trashPath = await toTrash(note.path, context);
    tellWrite('delete', note.path, 0, { trash_path: trashPath });
    return { facts: { deleted: true, trashPath } };
  },
});

const movePage = tool({
  name: 'move_page',
  title: 'Move page',
  description:
    'Move or rename a page. Links to it in other pages are rewritten, so that they still lead there. Fails when there is a page of the new name. Returns {from, to, moved}, without a version.',
  fields: { from: pageName.describe('Page to move'), to: pageName.describe('Its new name') },
  operations: [noteRead, noteMove],
  async answer({ from: old, to: next }, context) {
    const from = pathOf(old);
    const to = pathOf(next);
    if (from === to) throw invalidPath(next, 'the page has that name already');
    if (isInTrash(to)) throw forbiddenPath(to, 'delete_page moves pages to the trash');
    const note = await pageAt(from, await context.vault());
    const done = await context.run(noteMove, { from: note.path, to });
    tellWrite('move', done.from, 0, { from: done.from, to: done.to, links_updated: done.links });
    const links = done.links > 0 ? { linksUpdated: done.links } : {};
    return { facts: { from: done.from, to: done.to, moved: true, ...links } };
  },
});

/** Moves a page to the trash. Links to it are not changed: they resolve again when the page is restored. */
async function toTrash(path: string, { run }: ToolContext): Promise<string> {
  const now = new Date();
  const move = async (to: string) => (await run(noteMove, { from: path, to, update_links: false })).to;
  try {
    return await move(trashPathOf(path, now));
  } catch (error) {
    if (!isLecternError(error)) throw error;
    // A page of that name was deleted in the same month.
    if (error.code === 'exists') return await move(trashPathOf(path, now, true));
    if (error.code === 'not_found' && error.details.path !== path)
      throw forbiddenPath(trashPathOf(path, now), 'the owner’s rules keep pages from being put there');
    throw error;
  }
}

export const MOVE_TOOLS: readonly CatalogueTool[] = [deletePage, movePage];
