import * as z from 'zod';
import type { ListFilter } from '../index/note-index.ts';
import { stem } from '../notes/path.ts';
import { bareTag, pageInput, pageOutput, sessionPage, tagName, withNotice } from './fields.ts';
import { operation } from './operation.ts';
import { counted, hashed, lines, noticed, oneLine, shown } from './rendering.ts';
import { clipBytes } from './text.ts';

/**
 * What one hit may take of an answer, as JSON: five of them and the frame stay under 2 KB. Names
 * and tags are never cut, so the snippet takes what they leave: the passage is one note_read away.
 */
const HIT_BYTES = 370;
const SNIPPET_BYTES = { least: 60, most: 200 };

export const vaultSearch = operation({
  name: 'vault_search',
  title: 'Search the vault',
  description:
    'Find notes by words and meaning: best first, each with a snippet and its line. Plain words, "exact phrase", -not, path: tag: file: [property:value]. Then note_read the hit, with heading for one section.',
  scope: 'vault:read',
  effects: 'reads',
  input: z.object({
    q: z.string().min(1).describe('What to find'),
    mode: z
      .enum(['lexical', 'semantic', 'hybrid'])
      .default('hybrid')
      .describe('Answers name the mode that ran'),
    tag: z.array(tagName).optional().describe('Only notes with all of these tags'),
    path_glob: z.string().min(1).optional().describe('e.g. Projects/**'),
    frontmatter: z.record(z.string(), z.unknown()).optional().describe('Property values that must match'),
    ...pageInput(5, 50),
  }),
  output: z.object({
    results: z.array(
      z.object({
        path: z.string(),
        title: z.string(),
        /** 0..1 */
        score: z.number(),
        /** Matches marked **like this**. */
        snippet: z.string(),
        /** 1-based line of the snippet in the file. */
        line: z.number().int(),
        headings: z.array(z.string()),
        tags: z.array(z.string()),
        matched_in: z.array(z.string()),
      }),
    ),
    mode_used: z.enum(['lexical', 'semantic', 'hybrid']),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/search' },
  cli: { noun: 'vault', verb: 'search', positionals: ['q'] },
  summarise: (out, input) => {
    const top = out.results[0];
    const found = `Found ${counted(out.total, 'result')} for '${oneLine(input.q, 80)}' (${out.mode_used})${shown(out, out.results.length)}.`;
    return `${found}${top === undefined ? '' : ` Top hit: ${top.path} (score ${top.score}).`}${noticed(out.notice)}`;
  },
  render: (out) =>
    lines(out.results, (hit) => {
      const title = stem(hit.path) === hit.title ? '' : ` "${oneLine(hit.title, 60)}"`;
      const place =
        hit.headings.length === 0 ? '' : ` › ${hit.headings.map((text) => oneLine(text, 40)).join(' › ')}`;
      return `${hit.path}:${hit.line}${title}${place}${hashed(hit.tags)} (${hit.score}; ${hit.matched_in.join(', ')})\n  ${hit.snippet}`;
    }),
  run: async (vault, input) => {
    const filter: ListFilter = {
      ...(input.path_glob !== undefined && { pathGlob: input.path_glob }),
      ...(input.tag !== undefined && { tags: input.tag.map(bareTag) }),
      ...(input.frontmatter !== undefined && { frontmatter: input.frontmatter }),
    };
    const answer = await vault.search({ query: input.q, mode: input.mode, filter, ...sessionPage(input) });
    return {
      results: answer.items.map((hit) =>
        fitted({
          path: hit.path,
          title: hit.title,
          score: Math.round(hit.score * 100) / 100,
          snippet: hit.snippet,
          line: hit.line,
          headings: [...hit.headings],
          tags: [...hit.tags],
          matched_in: [...hit.matchedIn],
        }),
      ),
      mode_used: answer.modeUsed,
      total: answer.total,
      next_cursor: answer.nextCursor,
      ...withNotice(answer.notice, vault.staleness()),
    };
  },
});

function fitted<Hit extends { snippet: string }>(hit: Hit): Hit {
  const others = Buffer.byteLength(JSON.stringify({ ...hit, snippet: '' }));
  const room = Math.min(Math.max(HIT_BYTES - others, SNIPPET_BYTES.least), SNIPPET_BYTES.most);
  return { ...hit, snippet: clipBytes(hit.snippet.replace(/\s+/g, ' ').trim(), room) };
}
