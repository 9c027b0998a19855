import * as z from 'zod';
import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import { noteWrite } from '../../operations/note-write.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { tellWrite } from './audit-lines.ts';
import { pageName } from './fields.ts';
import { assertSize } from './limit.ts';
import { assertUnchanged, handOut } from './markers.ts';
import { pageAt } from './page.ts';
import { writablePathOf } from './page-path.ts';
import { tool } from './tool.ts';

const createPage = tool({
  name: 'create_page',
  title: 'Create page',
  description:
    'Create a new page. Fails when there is one of that name: write_page overwrites. Returns {path, lastModified}, so that write_page may follow. At most 256 KB, not under _trash/.',
  fields: { page: pageName, body: z.string().describe('Markdown of the whole page') },
  operations: [noteRead, noteWrite],
  async answer({ page, body }, context) {
    const path = writablePathOf(page);
    const bytes = Buffer.byteLength(body);
    assertSize(path, bytes);
    const written = await context.run(noteWrite, { path, body, if_not_exists: true });
    const lastModified = await versionOf(written, context);
    tellWrite('create', written.path, bytes, { last_modified: lastModified });
    return { facts: { created: true, path: written.path, lastModified } };
  },
});

const writePage = tool({
  name: 'write_page',
  title: 'Write page (overwrite, collision-safe)',
  description:
    'OVERWRITE a page that is there. expected_last_modified is the lastModified from read_page, create_page or write_page: when the page has changed since, the call fails with a conflict and nothing is written; read it again then. Makes no new pages (create_page does). At most 256 KB, not under _trash/. To add to a page use append_to_page or prepend_to_page, which need no version.',
  fields: {
    page: pageName,
    body: z.string().describe('Markdown of the whole page, properties included'),
    expected_last_modified: z.coerce
      .number()
      .int()
      .describe('The exact lastModified of what is overwritten, ms since the epoch; a number or its digits'),
  },
  operations: [noteRead, noteWrite],
  async answer({ page, body, expected_last_modified: expected }, context) {
    const path = writablePathOf(page);
    const note = await pageAt(path, await context.vault());
    assertUnchanged(note, expected);
    const bytes = Buffer.byteLength(body);
    assertSize(path, bytes);
    // The write must fail unless the bytes of that version are still there.
    const written = await context.run(noteWrite, { path: note.path, body, whole: true, if_match: note.etag });
    const lastModified = await versionOf(written, context);
    tellWrite('write', written.path, bytes, {
      expected_last_modified: expected,
      last_modified: lastModified,
    });
    return { facts: { written: true, path: written.path, lastModified } };
  },
});

const appendToPage = tool({
  name: 'append_to_page',
  title: 'Append to page',
  description:
    'Add text at the end of a page, below a blank line, without reading it first. Fails when there is no such page: create_page makes it. The page may have 256 KB then. Returns no lastModified, as you have not seen the page.',
  fields: { page: pageName, content: z.string().min(1).describe('Markdown to add') },
  operations: [noteRead, notePatch],
  async answer({ page, content }, context) {
    const { path, bytesAdded } = await insert(
      page,
      { markdown: content, at: 'end', blank_line: true },
      context,
    );
    tellWrite('append', path, bytesAdded);
    return { facts: { path, bytesAdded } };
  },
});

const prependToPage = tool({
  name: 'prepend_to_page',
  title: 'Prepend to page',
  description:
    'Add text at the start of a page, below its YAML front matter, without reading it first; position "top" puts it before everything. Fails when there is no such page: create_page makes it. The page may have 256 KB then. Returns no lastModified, as you have not seen the page.',
  fields: {
    page: pageName,
    content: z.string().min(1).describe('Markdown to add'),
    position: z
      .enum(['after_frontmatter', 'top'])
      .optional()
      .describe('Where, in a page with front matter. Default after_frontmatter'),
  },
  operations: [noteRead, notePatch],
  async answer({ page, content, position = 'after_frontmatter' }, context) {
    const at = position === 'top' ? 'top' : 'start';
    const { hasProperties, ...added } = await insert(
      page,
      { markdown: content, at, blank_line: true },
      context,
    );
    const insertedAfterFrontmatter = at === 'start' && hasProperties;
    tellWrite('prepend', added.path, added.bytesAdded, {
      inserted_after_frontmatter: insertedAfterFrontmatter,
    });
    return { facts: { ...added, insertedAfterFrontmatter } };
  },
});

interface Insertion {
  readonly markdown: string;
  readonly at: 'top' | 'start' | 'end';
  readonly blank_line: true;
}

/** Inserts lines into the current text of the page, so that parallel insertions are both kept. */
async function insert(page: string, insertion: Insertion, { vault, run }: ToolContext) {
  const path = writablePathOf(page);
  const note = await pageAt(path, await vault());
  const bytesAdded = Buffer.byteLength(insertion.markdown);
  const edit = { path: note.path, ops: [{ op: 'insert_lines', ...insertion }] };
  assertSize(path, (await run(notePatch, { ...edit, dry_run: true })).bytes);
  await run(notePatch, edit);
  return { path: note.path, bytesAdded, hasProperties: note.parsed.frontmatter !== undefined };
}

/** The version that a write created. If another program has written since, a version that matches no page. */
async function versionOf(
  { path, etag }: { readonly path: string; readonly etag: string },
  { vault }: ToolContext,
): Promise<number> {
  const now = await (await vault()).open(path).catch(() => undefined);
  return handOut({ path, etag, mtimeMs: now?.mtimeMs ?? Date.now() });
}

export const WRITE_TOOLS: readonly CatalogueTool[] = [createPage, writePage, appendToPage, prependToPage];
