import * as z from 'zod';
import { literalGlob } from '../../notes/glob.ts';
import { noteRead } from '../../operations/note-read.ts';
import { vaultSearch } from '../../operations/vault-search.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { invalidParams } from './failures.ts';
import { matchingLines, type WantedText, wantedText } from './matching-lines.ts';
import { everyRow } from './table.ts';
import { withoutSlashes } from './target.ts';
import { tool } from './tool.ts';

const fields = {
  query: z.string().min(1).describe('Text to find, or a query in the search syntax of Obsidian'),
  folder: z.string().optional().describe('Only notes below this folder'),
  limit: z.number().int().min(1).max(1000).optional().describe('Files at most'),
  case_sensitive: z.boolean().optional().describe('Upper and lower case differ'),
  total: z.boolean().optional().describe('Only the number'),
};
const ALSO_CALLED = { path: 'folder', case: 'case_sensitive', caseSensitive: 'case_sensitive' };

type Input = z.output<z.ZodObject<typeof fields>>;

const search = tool({
  name: 'obsidian_search',
  description: 'Search the vault for text: the files that hold it',
  fields,
  alsoCalled: ALSO_CALLED,
  operations: [vaultSearch, noteRead],
  async data(input, context) {
    const wanted = wantedText(input.query, input.case_sensitive === true);
    const paths = await pathsFor(input, wanted, context);
    if (input.total === true) return { total: paths.length };
    return { files: paths.slice(0, input.limit), total: paths.length };
  },
});

const searchWithContext = tool({
  name: 'obsidian_search_with_context',
  description: 'Search the vault for text: every line that holds it',
  fields: {
    ...fields,
    context_lines: z.number().int().min(0).max(20).optional().describe('Lines around each match'),
  },
  alsoCalled: { ...ALSO_CALLED, context: 'context_lines', contextLines: 'context_lines' },
  operations: [vaultSearch, noteRead],
  async data(input, context) {
    const wanted = wantedText(input.query, input.case_sensitive === true);
    const paths = await pathsFor(input, wanted, context);
    const session = await context.vault();
    const matches: Record<string, unknown>[] = [];
    for (const path of paths.slice(0, input.limit)) {
      context.signal.throwIfAborted();
      const { parsed } = await session.open(path);
      for (const match of matchingLines(parsed.text, wanted, input.context_lines ?? 0))
        matches.push({ path, ...match });
    }
    return input.total === true ? { total: matches.length } : { matches, total: matches.length };
  },
});

/** Paths of matching notes, best first. With case, only notes that contain the words exactly. */
async function pathsFor(input: Input, wanted: WantedText, context: ToolContext): Promise<string[]> {
  if (input.query.trim() === '') throw invalidParams('query is empty');
  const folder = withoutSlashes(input.folder ?? '');
  const hits = await everyRow(
    (cursor) =>
      context.run(vaultSearch, {
        q: input.query,
        mode: 'lexical',
        limit: 50,
        cursor,
        ...(folder !== '' && { path_glob: `${literalGlob(folder)}/**` }),
      }),
    (page) => page.results,
  );
  const paths = hits.map(({ path }) => path);
  if (!wanted.isExact) return paths;
  const session = await context.vault();
  const exact: string[] = [];
  for (const path of paths) {
    context.signal.throwIfAborted();
    const { parsed } = await session.open(path);
    if (wanted.words.every((word) => parsed.text.includes(word) || path.includes(word))) exact.push(path);
  }
  return exact;
}

export const SEARCH_TOOLS: readonly CatalogueTool[] = [search, searchWithContext];
