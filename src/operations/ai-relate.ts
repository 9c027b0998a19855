import * as z from 'zod';
import type { Assistant } from '../ai/assistant.ts';
import { ground } from '../ai/grounding/grounded.ts';
import { type Place, sourceOf } from '../ai/grounding/source.ts';
import { isLecternError } from '../errors.ts';
import { Turn } from '../turn.ts';
import type { OpenedNote, VaultSession } from '../vault/session.ts';
import { type OperationContext, operation } from './operation.ts';
import {
  aiInput,
  answeredByOutput,
  assistantOf,
  citationLines,
  citationRow,
  groundedNotices,
  toGrounded,
} from './shared/ai-fields.ts';
import { passageAround, readAgain, sectionAt } from './shared/ai-reading.ts';
import { linkDrafts } from './shared/ai-relate-drafts.ts';
import { EVIDENT, evidenceOf, JUDGED, sharedTags, toClaims } from './shared/ai-relate-evidence.ts';
import { judge } from './shared/ai-relate-judged.ts';
import { notePath, withNotice } from './shared/fields.ts';
import { counted, hashed, lines, noticed, paragraphs } from './shared/rendering.ts';

const RELATIONS = [...EVIDENT, ...JUDGED] as const;
/** Limit of links read from each note. */
const LINKS = 200;
const WORDS_OF_QUERY = 300;

export const aiRelate = operation({
  name: 'ai_relate',
  title: 'How notes belong together',
  description:
    'Notes related to one, each with how: links_to, linked_from, part_of, has_part, same_tag, near as far as the notes show it, with the lines that do; supports, contradicts and the like by a model, each with a verified quote of both notes. propose_links answers drafts of links and writes nothing.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['source'],
  toolset: 'ai',
  input: z.object({
    source: notePath,
    candidates: z.array(z.string().min(1)).min(1).max(50).optional().describe('Only these notes'),
    top_k: z.number().int().min(1).max(30).default(10),
    retrieve_mode: z
      .enum(['lexical', 'semantic', 'hybrid'])
      .default('hybrid')
      .describe('hybrid: by content and links; else by a search for what the note says'),
    classify: z.boolean().default(true).describe('Say how they are related, not only that they are'),
    relations: z.array(z.enum(RELATIONS)).min(1).optional().describe('Only these relations'),
    threshold: z.number().min(0).max(1).default(0).describe('Least score'),
    propose_links: z.boolean().default(false).describe('Drafts of links to notes that are not linked yet'),
    seed: aiInput.seed,
    cache: aiInput.cache,
  }),
  output: z.object({
    source: z.string(),
    /** Etag of the source note as it was read. */
    etag: z.string(),
    related: z.array(
      z.object({
        path: z.string(),
        title: z.string(),
        /** 0..1 */
        score: z.number(),
        relations: z.array(z.object({ relation: z.enum(RELATIONS), citations: z.array(z.number().int()) })),
        /** Tags that both notes have. */
        tags: z.array(z.string()),
      }),
    ),
    /**
     * Links that could be added. None is written: use note_patch with replace_text (line, old, replacement)
     * or append_body.
     */
    drafts: z.array(
      z.object({
        path: z.string(),
        etag: z.string(),
        target: z.string(),
        line: z.number().int().optional(),
        old: z.string().optional(),
        replacement: z.string(),
      }),
    ),
    /** Candidates that do not exist, or cannot be read. */
    left_out: z.array(z.string()),
    ...answeredByOutput,
    citations: z.array(citationRow),
    dropped_citations: z.number().int(),
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    cost: z.number().optional(),
    cached: z.boolean(),
    notice: z.string().optional(),
  }),
  rest: { method: 'POST', path: '/v1/ai/relate' },
  cli: { noun: 'ai', verb: 'relate', positionals: ['source'] },
  summarise: (out) =>
    `${counted(out.related.length, 'note')} related to ${out.source}${out.drafts.length === 0 ? '' : `, ${counted(out.drafts.length, 'draft')} of links`} (${out.mode}).${noticed(out.notice)}`,
  render: (out) =>
    paragraphs(
      lines(out.related, ({ path, score, relations, tags }) => {
        const how = relations.map(
          ({ relation, citations }) => `${relation}${citations.map((n) => `[${n}]`).join('')}`,
        );
        return `${path} (${score}${how.length === 0 ? '' : `; ${how.join(', ')}`})${hashed(tags)}`;
      }),
      citationLines(out.citations),
      lines(out.drafts, ({ path, line, old, replacement }) =>
        old === undefined
          ? `draft for ${path}: add ${replacement}`
          : `draft for ${path}:${line}: ${old} → ${replacement}`,
      ),
    ),
  run: async (vault, input, context) => {
    const assistant = assistantOf(context);
    const turn = new Turn();
    const note = await vault.open(input.source);
    const { near, leftOut, notice } = await candidatesOf(vault, note, input);
    const links = (await vault.forward(note.path, { limit: LINKS })).items;
    const wanted = new Set<string>(input.relations ?? RELATIONS);
    const pairs: Pair[] = [];
    for (const [at, { other, score }] of near.entries()) {
      context.signal.throwIfAborted();
      context.progress(at, near.length, other.path);
      if (!input.classify) {
        pairs.push({ other, score, claims: [] });
        continue;
      }
      const back = (await vault.forward(other.path, { limit: LINKS })).items;
      const evidence = await evidenceOf(note, other, { forward: links, back }, turn);
      pairs.push({ other, score, claims: toClaims(evidence.filter(({ relation }) => wanted.has(relation))) });
    }
    const judged = await judgedBy(assistant, note, pairs, input, context);
    // When relations were requested by name, notes with none of them are left out.
    const kept =
      input.relations === undefined || !input.classify
        ? pairs
        : pairs.filter(({ claims }) => claims.length > 0);
    const grounded = await ground(
      kept.flatMap(({ claims }) => claims),
      'preferred',
      readAgain(vault),
    );
    let next = 0;
    const related = kept.map(({ other, score, claims }) => ({
      path: other.path,
      title: other.title,
      score,
      relations: claims.flatMap(({ text, places }) => {
        const sentence = grounded.sentences[next++];
        const relation = RELATIONS.find((each) => each === text);
        // A relation without a quote follows from paths or tags; one with a quote counts only if the quote
        // was verified.
        if (relation === undefined || sentence === undefined || (places.length > 0 && !sentence.supported))
          return [];
        return [{ relation, citations: [...sentence.citations] }];
      }),
      tags: sharedTags(note, other),
    }));
    const linked = new Set(links.flatMap(({ target }) => target ?? []));
    const unlinked = related.filter(({ path }) => !linked.has(path));
    const { sentences: _, withheld: __, ...shown } = toGrounded(assistant, grounded, judged.isCached);
    return {
      source: note.path,
      etag: note.etag,
      related,
      drafts: input.propose_links ? [...(await linkDrafts(vault, note, unlinked, turn))] : [],
      left_out: [...leftOut],
      ...shown,
      dropped_citations: shown.dropped_citations + judged.dropped,
      ...withNotice(...groundedNotices({ ...grounded, sentences: [], withheld: 0 }), notice),
    };
  },
});

interface Pair {
  readonly other: OpenedNote;
  readonly score: number;
  claims: ReturnType<typeof toClaims>;
}

interface Wanted {
  readonly candidates?: readonly string[] | undefined;
  readonly top_k: number;
  readonly retrieve_mode: 'lexical' | 'semantic' | 'hybrid';
  readonly threshold: number;
}

async function candidatesOf(vault: VaultSession, note: OpenedNote, input: Wanted) {
  const most = input.candidates === undefined ? input.top_k : 50;
  const { scores, notice } = await scoresOf(vault, note, input.retrieve_mode, most);
  const leftOut: string[] = [];
  const near: { other: OpenedNote; score: number }[] = [];
  const seen = new Set([note.path]);
  for (const path of input.candidates ?? scores.keys()) {
    try {
      const other = await vault.open(path);
      const score = scores.get(other.path) ?? 0;
      if (seen.has(other.path) || score < input.threshold) continue;
      seen.add(other.path);
      near.push({ other, score });
    } catch (error) {
      if (!isLecternError(error)) throw error;
      if (input.candidates !== undefined) leftOut.push(path);
    }
  }
  near.sort((a, b) => b.score - a.score || (a.other.path < b.other.path ? -1 : 1));
  return { near: near.slice(0, input.top_k), leftOut, notice };
}

async function scoresOf(vault: VaultSession, note: OpenedNote, mode: Wanted['retrieve_mode'], most: number) {
  const round = (score: number) => Math.round(score * 100) / 100;
  if (mode === 'hybrid') {
    const { items, notice } = await vault.related(note.path, most);
    return { scores: new Map(items.map(({ path, score }) => [path, round(score)])), notice };
  }
  const { text, bodyStart } = note.parsed;
  // Only the words: the note's text must not be parsed as query syntax.
  const words = `${note.title} ${text.slice(bodyStart, bodyStart + 4 * WORDS_OF_QUERY)}`.match(
    /[\p{L}\p{N}]+/gu,
  ) ?? [note.title];
  const query = words.join(' ').slice(0, WORDS_OF_QUERY);
  const { items, notice } = await vault.search({ query, mode, filter: { kinds: ['note'] }, limit: most + 1 });
  return { scores: new Map(items.map(({ path, score }) => [path, round(score)])), notice };
}

/** Adds the relations that a model finds, when there is a model and they were requested. */
async function judgedBy(
  assistant: Assistant,
  note: OpenedNote,
  pairs: readonly Pair[],
  input: {
    readonly classify: boolean;
    readonly relations?: readonly string[] | undefined;
    readonly seed?: number | undefined;
    readonly cache: 'use' | 'refresh' | 'off';
  },
  context: OperationContext,
): Promise<{ dropped: number; isCached: boolean }> {
  const relations = JUDGED.filter(
    (relation) => input.relations === undefined || input.relations.includes(relation),
  );
  const places = pairs.map(({ other }) => opening(other));
  const first = opening(note);
  if (assistant.mode === 'extractive' || !input.classify || relations.length === 0 || places.length === 0)
    return { dropped: 0, isCached: false };
  // As many candidates as fit into one request.
  const tokens = (place: Place) =>
    assistant.estimate(place.source.text.slice(place.start, place.end)).inputTokens + 60;
  let room = Math.floor(assistant.contextTokens / 2) - tokens(first);
  const fitting = places.filter((place) => {
    room -= tokens(place);
    return room >= 0;
  });
  if (fitting.length === 0) return { dropped: 0, isCached: false };
  const { judgements, dropped, isCached } = await judge(
    assistant,
    first,
    fitting,
    { ...input, relations },
    context,
  );
  for (const { candidate, claim } of judgements) {
    const pair = pairs.find(({ other }) => other.path === fitting[candidate]?.source.path);
    pair?.claims.push(claim);
  }
  return { dropped, isCached };
}

/** The beginning of a note after its properties. */
function opening(note: OpenedNote): Place {
  const source = sourceOf(note);
  const whole = { start: note.parsed.bodyStart, end: note.parsed.text.length };
  const line = source.lines.lineAt(note.parsed.bodyStart);
  const first = note.parsed.headings[0];
  return whole.end - whole.start <= 1500
    ? { source, ...whole }
    : passageAround(source, sectionAt(source, first?.line ?? line, whole), line);
}
