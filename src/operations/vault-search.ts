import * as z from 'zod';
import type { ListFilter } from '../index/note-index.ts';
import { stem } from '../notes/path.ts';
import { singleSpaced } from '../notes/structure/single-spaced.ts';
import { operation } from './operation.ts';
import {
  bareTag,
  copyField,
  copyMark,
  pageInput,
  pageOutput,
  sessionPage,
  tagName,
  withNotice,
} from './shared/fields.ts';
import { copyOf, counted, lines, noticed, oneLine, shown } from './shared/rendering.ts';
import { byteLength, clipAround } from './shared/text.ts';

/** Tags and headings are for orientation; a note with dozens would crowd the others out. */
const MOST_TAGS = 2;
const MOST_HEADINGS = 3;
/**
 * Limits of the hits of a page together and of one hit, bytes as JSON: ten hits and the frame stay under 2 KB
 * of text. Names are never cut, so the snippet gets the remaining room; note_read returns the passage.
 */
const PAGE_BYTES = 2200;
const HIT_BYTES = 370;
const SNIPPET_BYTES = { least: 50, most: 200 };

export const vaultSearch = operation({
  name: 'vault_search',
  title: 'Search the vault',
  description:
    'Find notes by words and meaning: best first, each with a snippet and its line. Plain words, "exact phrase", -not, path: tag: file: [property:value]. Then note_read the hit, with heading for one section.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'core',
  input: z.object({
    q: z.string().min(1).describe('What to find'),
    syntax: z.enum(['obsidian', 'joplin']).default('obsidian').describe('Language of q'),
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
        /**
         * In a canvas: id of the node or edge that contains the snippet; `line` is then the line of the node
         * or edge.
         */
        node: z.string().optional(),
        edge: z.string().optional(),
        /** The three nearest above the snippet, outermost first, without the note's title. */
        headings: z.array(z.string()),
        /** The first two. */
        tags: z.array(z.string()),
        matched_in: z.array(z.string()),
        ...copyField,
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
      const section = hit.headings.at(-1);
      const place = section === undefined ? '' : ` › ${oneLine(section, 60)}`;
      const inCanvas = hit.node ?? hit.edge;
      const item = inCanvas === undefined ? '' : ` [${hit.node === undefined ? 'edge' : 'node'} ${inCanvas}]`;
      // The place of a match is stated when the snippet does not show it.
      const matched = hit.snippet.includes('**') ? '' : `; ${hit.matched_in.join(', ')}`;
      return `${hit.path}:${hit.line}${title}${place}${item} (${hit.score}${matched})${copyOf(hit)}\n  ${hit.snippet}`;
    }),
  run: async (vault, input) => {
    const filter: ListFilter = {
      ...(input.path_glob !== undefined && { pathGlob: input.path_glob }),
      ...(input.tag !== undefined && { tags: input.tag.map(bareTag) }),
      ...(input.frontmatter !== undefined && { frontmatter: input.frontmatter }),
    };
    const answer = await vault.search({
      query: input.q,
      syntax: input.syntax,
      mode: input.mode,
      filter,
      ...sessionPage(input),
    });
    const room = Math.min(HIT_BYTES, PAGE_BYTES / Math.max(1, answer.items.length));
    return {
      results: answer.items.map((hit) =>
        fitted(
          {
            path: hit.path,
            title: hit.title,
            score: Math.round(hit.score * 100) / 100,
            snippet: hit.snippet,
            line: hit.line,
            ...(hit.node !== undefined && { node: hit.node }),
            ...(hit.edge !== undefined && { edge: hit.edge }),
            headings: hit.headings.slice(hit.headings[0] === hit.title ? 1 : 0).slice(-MOST_HEADINGS),
            tags: hit.tags.slice(0, MOST_TAGS),
            matched_in: [...hit.matchedIn],
            ...copyMark(hit.copyOf),
          },
          room,
        ),
      ),
      mode_used: answer.modeUsed,
      total: answer.total,
      next_cursor: answer.nextCursor,
      ...withNotice(answer.notice),
    };
  },
});

/** The keys and numbers of a hit, and the quotes and comma around each text. */
const FRAME_BYTES = 100;
const QUOTED = 3;

interface Shown {
  readonly path: string;
  readonly title: string;
  readonly snippet: string;
  readonly headings: readonly string[];
  readonly tags: readonly string[];
  readonly matched_in: readonly string[];
}

function fitted<Hit extends Shown>(hit: Hit, bytes: number): Hit {
  const names = [hit.path, hit.title, ...hit.headings, ...hit.tags, ...hit.matched_in];
  const others = names.reduce((sum, name) => sum + byteLength(name) + QUOTED, FRAME_BYTES);
  const room = Math.min(Math.max(bytes - others, SNIPPET_BYTES.least), SNIPPET_BYTES.most);
  return { ...hit, snippet: clipAround(singleSpaced(hit.snippet).trim(), '**', room) };
}
