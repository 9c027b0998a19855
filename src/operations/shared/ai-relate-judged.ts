import type { Assistant, CacheUse } from '../../ai/assistant.ts';
import { fence, fenceRules } from '../../ai/grounding/fence.ts';
import { findQuote } from '../../ai/grounding/quote.ts';
import type { Claim } from '../../ai/grounding/reply.ts';
import type { Place } from '../../ai/grounding/source.ts';
import { isRecord } from '../../is-record.ts';
import type { OperationContext } from '../operation.ts';
import { JUDGED, type Judged } from './ai-relate-evidence.ts';

export interface Judgement {
  /** Index of the candidate, from 0. */
  readonly candidate: number;
  readonly relation: Judged;
  /** The relation with a quote from each of the two notes. */
  readonly claim: Claim;
}

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['relations'],
  properties: {
    relations: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['passage', 'relation', 'quote_of_first', 'quote_of_other'],
        properties: {
          passage: { type: 'integer', description: 'Number of the other passage' },
          relation: { type: 'string', enum: [...JUDGED] },
          quote_of_first: { type: 'string', description: 'Words of passage 1, copied exactly' },
          quote_of_other: { type: 'string', description: 'Words of the other passage, copied exactly' },
        },
      },
    },
  },
} as const;

/** Tokens of the answer for one relation with its quotes. */
const TOKENS_EACH = 120;

/**
 * Asks a model how a note relates to others. A relation counts only if a quote from each of the two notes is
 * found in it.
 *
 * @param first passage of the note itself
 * @param others one passage of each candidate
 */
export async function judge(
  assistant: Assistant,
  first: Place,
  others: readonly Place[],
  asked: {
    readonly seed?: number | undefined;
    readonly cache: CacheUse;
    readonly relations: readonly Judged[];
  },
  context: OperationContext,
): Promise<{ judgements: readonly Judgement[]; dropped: number; isCached: boolean }> {
  const passages = [first, ...others];
  const { text, mark } = fence(passages);
  const { object, isCached } = await assistant.generate({
    operation: 'ai_relate',
    promptVersion: '1',
    system: [
      `Say how passage 1 of the user's own notes relates to each of the other passages, where it does: ${asked.relations.join(', ')}. Leave out what is not related. Quote both passages, at least three words of each, copied exactly.`,
      fenceRules(mark),
    ].join('\n\n'),
    messages: [{ role: 'user', content: text }],
    schema: SCHEMA,
    notes: passages.map(({ source }) => ({ path: source.path, etag: source.etag })),
    cache: asked.cache,
    maxTokens: Math.min(TOKENS_EACH * (others.length + 1), Math.floor(assistant.contextTokens / 3)),
    temperature: 0,
    ...(asked.seed !== undefined && { seed: asked.seed }),
    signal: context.signal,
  });
  const rows = isRecord(object) && Array.isArray(object.relations) ? (object.relations as unknown[]) : [];
  const judgements: Judgement[] = [];
  let dropped = 0;
  for (const row of rows.slice(0, 4 * others.length)) {
    const read = readRow(row, passages, asked.relations);
    if (read === undefined) dropped += 1;
    else if (
      !judgements.some(
        ({ candidate, relation }) => candidate === read.candidate && relation === read.relation,
      )
    )
      judgements.push(read);
  }
  return { judgements, dropped, isCached };
}

function readRow(
  row: unknown,
  passages: readonly Place[],
  allowed: readonly Judged[],
): Judgement | undefined {
  if (!isRecord(row)) return undefined;
  const { passage, relation, quote_of_first: mine, quote_of_other: theirs } = row;
  const judged = allowed.find((each) => each === relation);
  const other = typeof passage === 'number' && passage > 1 ? passages[passage - 1] : undefined;
  const [first] = passages;
  if (!judged || !other || !first || typeof mine !== 'string' || typeof theirs !== 'string') return undefined;
  const places = [findQuote(mine, first), findQuote(theirs, other)];
  const [here, there] = places;
  if (here === undefined || there === undefined) return undefined;
  const claim: Claim = { text: judged, places: [here, there], dropped: 0 };
  return { candidate: Number(passage) - 2, relation: judged, claim };
}
