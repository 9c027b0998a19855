import * as z from 'zod';
import type { Assistant } from '../ai/assistant.ts';
import { bestQuotes } from '../ai/extractive/answer.ts';
import { plainText } from '../ai/extractive/plain.ts';
import { ground } from '../ai/grounding/grounded.ts';
import type { Claim } from '../ai/grounding/reply.ts';
import { LONG_CALL_MS } from '../budgets.ts';
import { operation } from './operation.ts';
import {
  aiInput,
  assistantOf,
  citedText,
  groundedNotices,
  groundedOutput,
  groundedText,
  toGrounded,
} from './shared/ai-fields.ts';
import { answerTokens, askModel, fitting, type PassageReply } from './shared/ai-generate.ts';
import { passageAround, readAgain } from './shared/ai-reading.ts';
import { type Retrieved, retrieve } from './shared/ai-retrieval.ts';
import { aiScope, toScopeOutput } from './shared/ai-scope.ts';
import { withNotice } from './shared/fields.ts';
import { noticed, oneLine } from './shared/rendering.ts';

const NOTHING = 'Not in your notes.';
const PASSAGES = { usual: 5, most: 20 };
const NEIGHBOURS = 3;
const TURNS = 20;
/**
 * Least share of the question's terms, weighted by rarity, that the best quote and its heading must contain.
 */
const LEAST_SHARE = 0.1;

const STYLES = {
  short: 'Answer in one to three sentences.',
  detailed: 'Answer in full, in up to twelve sentences.',
  bullets: 'Answer in short statements, each of which can stand alone, at most ten.',
} as const;

export const aiAsk = operation({
  name: 'ai_ask',
  title: 'Ask the notes',
  description:
    'Answer a question from the notes, with proof: every sentence cites, every citation has path, lines, etag and a quote that was looked up in the note. What the notes do not say is answered so (found: false). Without a model (mode extractive) the answer is the best passages, quoted.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  limitMs: LONG_CALL_MS,
  toolset: 'ai',
  input: z.object({
    question: z.string().min(1).max(4000).describe('In plain words'),
    scope: aiScope.optional(),
    retrieve: z
      .strictObject({
        mode: z.enum(['lexical', 'semantic', 'hybrid']).default('hybrid'),
        top_k: z.number().int().min(1).max(PASSAGES.most).default(PASSAGES.usual),
        neighbours: z.boolean().default(true).describe('Look at linked notes too'),
      })
      .prefault({})
      .describe('How passages are found'),
    style: z.enum(['short', 'detailed', 'bullets']).default('short'),
    history: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1).max(8000) }))
      .max(TURNS)
      .optional()
      .describe('What was said before, oldest first'),
    ...aiInput,
    stream: z.boolean().default(true).describe('Send sentences as progress while they are written'),
  }),
  output: z.object({
    /** The answer, with `[n]` after each sentence. */
    answer: z.string(),
    /** False when the notes do not contain the answer. */
    found: z.boolean(),
    ...groundedOutput,
    mode_used: z.enum(['lexical', 'semantic', 'hybrid']),
  }),
  rest: { method: 'POST', path: '/v1/ai/ask' },
  cli: { noun: 'ai', verb: 'ask', positionals: ['question'] },
  summarise: (out, input) =>
    out.found
      ? `${out.citations.length === 0 ? 'Unsupported answer' : `Answer from ${new Set(out.citations.map(({ path }) => path)).size} notes`} to '${oneLine(input.question, 80)}' (${out.mode}).${noticed(out.notice)}`
      : `${NOTHING}${noticed(out.notice)}`,
  render: (out) => (out.found ? groundedText(out.answer, out.citations) : ''),
  run: async (vault, input, context) => {
    const assistant = assistantOf(context);
    const found = await retrieve(
      vault,
      {
        question: input.question,
        scope: input.scope,
        mode: input.retrieve.mode,
        topK: input.retrieve.top_k,
        neighbours: input.retrieve.neighbours ? NEIGHBOURS : 0,
      },
      context.signal,
    );
    const reply =
      found.passages.length === 0
        ? NO_REPLY
        : assistant.mode === 'extractive'
          ? await quoted(input.question, found)
          : await written(assistant, found, input, context);
    const grounded = await ground(reply.claims, input.cite, readAgain(vault));
    const isFound = grounded.sentences.length > 0;
    const shown = toGrounded(assistant, grounded, reply.isCached);
    return {
      answer: isFound
        ? citedText(shown.sentences, input.style === 'bullets' ? 'bullets' : 'paragraph')
        : NOTHING,
      found: isFound,
      ...shown,
      ...toScopeOutput(found.scope),
      mode_used: found.modeUsed,
      ...withNotice(...groundedNotices(grounded), reply.notice, found.notice),
    };
  },
});

const NO_REPLY: PassageReply = { claims: [], isNotInNotes: true, isCached: false, notice: undefined };

/** The best sentences of the passages as an answer, without a model. */
async function quoted(question: string, { passages, hits }: Retrieved): Promise<PassageReply> {
  const quotes = await bestQuotes(question, passages);
  // Passages without any telling term of the question are similar to it, but no answer.
  const fits = quotes.some(({ share }) => share >= LEAST_SHARE);
  const claims = (fits ? quotes : [])
    .filter(({ share }, at) => share > 0 || at < hits)
    .map((quote): Claim => {
      const text = plainText(quote.source.text.slice(quote.start, quote.end));
      return { text: text === '' ? quote.source.title : text, places: [quote], dropped: 0 };
    });
  return { ...NO_REPLY, claims };
}

async function written(
  assistant: Assistant,
  { passages }: Retrieved,
  input: {
    readonly question: string;
    readonly style: keyof typeof STYLES;
    readonly history?: readonly { role: 'user' | 'assistant'; content: string }[] | undefined;
    readonly language?: string | undefined;
    readonly max_tokens?: number | undefined;
    readonly cite: 'preferred' | 'required';
    readonly seed?: number | undefined;
    readonly cache: 'use' | 'refresh' | 'off';
    readonly stream: boolean;
  },
  context: Parameters<typeof askModel>[2],
): Promise<PassageReply> {
  const asked = {
    operation: 'ai_ask',
    promptVersion: '1',
    task: `You answer a question from the user's own notes, and from nothing else. ${STYLES[input.style]}`,
    request: `Question: ${input.question}`,
    history: input.history ?? [],
    language: input.language,
    maxTokens: answerTokens(assistant, input.max_tokens),
    seed: input.seed,
    cache: input.cache,
    streams: input.stream,
    supportedOnly: input.cite === 'required',
  };
  const places = passages.map(({ source, span, line }) => passageAround(source, span, line));
  return await askModel(assistant, { ...asked, passages: fitting(assistant, asked, places) }, context);
}
