import { literalGlob } from '../../notes/glob.ts';
import { dirName } from '../../notes/path.ts';
import { noteRead } from '../../operations/note-read.ts';
import { vaultSearch } from '../../operations/vault-search.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { chunkAt } from './chunks.ts';
import { ToolError } from './failures.ts';
import { idOf, tagId } from './ids.ts';
import { folderOfId } from './notebooks.ts';
import { type JoplinNote, notebookIdOf, openJoplinNote } from './notes.ts';
import { snippetOf } from './snippet.ts';
import { count, filledText, requiredText, tool } from './tool.ts';

const MOST = 100;
const DEFAULT_LIMIT = 20;
const PAGE = 50;

const searchNotes = tool({
  name: 'search_notes',
  description:
    'Search notes by keywords, in the search syntax of Joplin: words (all have to be there), "exact phrase", prefix*, -excluded, and the filters title: body: tag: notebook: created: updated: due: type:note|todo iscompleted:0|1 resource: sourceurl: id: latitude: longitude: altitude: and any:1 (any of the terms is enough). Dates are YYYY, YYYYMM, YYYYMMDD or day-7, week-1, month-1, year-1 and mean since then; with - in front, before. Returns id, title, notebook id, updated time and a snippet around the match. Read the note with read_note.',
  properties: {
    query: { type: 'string', description: 'The search query' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MOST,
      default: DEFAULT_LIMIT,
      description: 'Results at most',
    },
  },
  required: ['query'],
  operations: [vaultSearch, noteRead],
  async payload(given, context) {
    const query = requiredText(given, 'query');
    const limit = Math.min(Math.max(count(given, 'limit', DEFAULT_LIMIT), 1), MOST);
    const { notes, total } = await found(query, limit, context);
    const session = await context.vault();
    const results: object[] = [];
    for (const { note, facts, body } of notes)
      results.push({
        id: await idOf(session, note.path, facts.id),
        title: facts.title,
        notebook_id: await notebookIdOf(session, note.path),
        updated_time: facts.updatedMs,
        snippet: snippetOf(body, query),
      });
    return { results, total };
  },
});

async function found(
  query: string,
  limit: number,
  context: ToolContext,
): Promise<{ notes: readonly JoplinNote[]; total: number }> {
  const session = await context.vault();
  const notes: JoplinNote[] = [];
  let total = 0;
  let cursor: string | undefined;
  do {
    const size = Math.min(PAGE, limit - notes.length);
    const page = await context.run(vaultSearch, {
      q: query,
      syntax: 'joplin',
      mode: 'lexical',
      limit: size,
      cursor,
    });
    total = page.total;
    for (const { path } of page.results) {
      context.signal.throwIfAborted();
      const isThere = (await session.exists(path)).path === path;
      // It was removed after the search.
      if (!isThere) total -= 1;
      else notes.push(await openJoplinNote(session, path));
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && notes.length < limit);
  return { notes, total };
}

/**
 * Joplin's numbers of results, with thresholds of Lectern's scores that let through about as much as Joplin's
 * cosines.
 */
const RELEVANCE = {
  strict: { most: 5, leastScore: 0.55 },
  normal: { most: 10, leastScore: 0.4 },
  loose: { most: 20, leastScore: 0.25 },
} as const;
const NO_PROVIDER = 'No embedding provider is active. Enable AI features in Settings → AI.';

const semanticSearchNotes = tool({
  name: 'semantic_search_notes',
  description:
    'Search notes by meaning: passages ranked by how near they are to the query, with the id of their note and a score. Use it when the words of the note are not known; for exact words use search_notes.',
  properties: {
    query: { type: 'string', description: 'What to find, in plain words' },
    notebook_id: { type: 'string', description: 'Only notes of this notebook. Not together with tag_id' },
    tag_id: { type: 'string', description: 'Only notes with this tag. Not together with notebook_id' },
    relevance: {
      type: 'string',
      enum: Object.keys(RELEVANCE),
      default: 'normal',
      description: 'How near passages have to be: strict, normal or loose',
    },
  },
  required: ['query'],
  operations: [vaultSearch, noteRead],
  async payload(given, context) {
    const query = requiredText(given, 'query');
    const notebookId = filledText(given.notebook_id);
    const tag = filledText(given.tag_id);
    if (notebookId !== undefined && tag !== undefined)
      throw new ToolError('Pass either "notebook_id" or "tag_id", not both');
    const relevance = filledText(given.relevance) ?? 'normal';
    const { most, leastScore } = Object.hasOwn(RELEVANCE, relevance)
      ? RELEVANCE[relevance as keyof typeof RELEVANCE]
      : RELEVANCE.normal;
    const folder = notebookId === undefined ? undefined : await folderOfId(context, notebookId);
    if (notebookId !== undefined && folder === undefined) return { results: [], total: 0 };
    const session = await context.vault();
    const results: object[] = [];
    let reason: string | undefined;
    let cursor: string | undefined;
    do {
      const page = await context.run(vaultSearch, {
        q: query,
        mode: 'semantic',
        limit: PAGE,
        cursor,
        ...(folder !== undefined && { path_glob: `${literalGlob(folder)}/*.md` }),
      });
      const isByWords = page.mode_used === 'lexical';
      if (isByWords) reason = page.notice;
      cursor = page.next_cursor ?? undefined;
      for (const { path, score, line } of page.results) {
        context.signal.throwIfAborted();
        if ((score < leastScore && !isByWords) || results.length === most) {
          cursor = undefined;
          break;
        }
        if (folder !== undefined && dirName(path) !== folder) continue;
        if ((await session.exists(path)).path !== path) continue;
        const { facts, head, body } = await openJoplinNote(session, path);
        if (tag !== undefined && !facts.tags.some((title) => tagId(title) === tag)) continue;
        const chunk = chunkAt(facts.title, body, line - lines(head));
        results.push({
          note_id: await idOf(session, path, facts.id),
          title: facts.title,
          notebook_id: (await notebookIdOf(session, path)) || null,
          chunk_index: chunk.index,
          chunk_text: chunk.text,
          score: Math.round(score * 1000) / 1000,
        });
      }
    } while (cursor !== undefined);
    if (results.length === 0 && reason !== undefined && (await hasNoModel(context)))
      throw new ToolError(NO_PROVIDER);
    return { results, total: results.length, ...(reason !== undefined && { notice: reason }) };
  },
});

/** Whether the vault has too little text to train a model: it is then searched lexically. */
async function hasNoModel({ vault }: ToolContext): Promise<boolean> {
  const { embedding } = await (await vault()).status();
  return embedding === undefined || embedding.model === undefined;
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}

export const SEARCH_TOOLS: readonly CatalogueTool[] = [searchNotes, semanticSearchNotes];
