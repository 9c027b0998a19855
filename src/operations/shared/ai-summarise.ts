import type { Assistant } from '../../ai/assistant.ts';
import { plainText } from '../../ai/extractive/plain.ts';
import { type Sentence, sentencesOf } from '../../ai/extractive/sentences.ts';
import { type SummaryLength, summarySentences } from '../../ai/extractive/summary.ts';
import type { Claim } from '../../ai/grounding/reply.ts';
import { type Place, sourceOf } from '../../ai/grounding/source.ts';
import { Turn } from '../../turn.ts';
import type { OperationContext } from '../operation.ts';
import { askModel, batchesOf, type PassageReply, type PassageRequest } from './ai-generate.ts';
import { passagesOf } from './ai-reading.ts';
import type { ScopedNote } from './ai-scope.ts';

/** Limit of sentences that are compared, of all notes together. */
const COMPARED = 8000;
/** Limits of the requests for the parts of a long scope, and of rounds of summaries of summaries. */
const REQUESTS = 40;
const ROUNDS = 3;
/** Tokens of the answer for one part. */
const PART_TOKENS = 500;

/** The most central sentences of notes, as claims with their places. */
export async function extractSummary(
  notes: readonly ScopedNote[],
  length: SummaryLength,
  signal: AbortSignal,
): Promise<PassageReply> {
  const turn = new Turn();
  const sentences: Sentence[] = [];
  const most = Math.max(20, Math.floor(COMPARED / Math.max(1, notes.length)));
  for (const { note, span } of notes) {
    signal.throwIfAborted();
    sentences.push(...(await sentencesOf(sourceOf(note), span, turn, most)));
  }
  const taken = await summarySentences(sentences, length, turn);
  return {
    claims: taken.map((place) => quotedClaim(place)),
    isNotInNotes: taken.length === 0,
    isCached: false,
    notice:
      taken.length === 0 ? 'there are no sentences to quote, only code, tables or lists of links' : undefined,
  };
}

/** A claim that consists of a sentence of a note and cites it. */
export function quotedClaim(place: Place): Claim {
  const { source, start, end } = place;
  return { text: plainText(source.text.slice(start, end)) || source.title, places: [place], dropped: 0 };
}

/**
 * Writes a summary with a model. Text that does not fit into one request is summarised in parts, and the
 * passages that the parts cite become the text of the next round, so all citations are quotes of notes.
 */
export async function writeSummary(
  assistant: Assistant,
  notes: readonly ScopedNote[],
  asked: Omit<PassageRequest, 'passages'>,
  context: OperationContext,
): Promise<PassageReply> {
  let passages: readonly Place[] = notes.flatMap(({ note, span }) => passagesOf(sourceOf(note), span));
  let isCut = false;
  let isCached = true;
  for (let round = 0; ; round += 1) {
    const batches = batchesOf(assistant, asked, passages);
    const [only] = batches;
    if (batches.length <= 1 || only === undefined || round === ROUNDS) {
      isCut ||= batches.length > 1;
      const reply = await askModel(assistant, { ...asked, passages: only ?? [] }, context);
      const notice = isCut ? 'not all of the text could be read: narrow the scope' : undefined;
      return {
        ...reply,
        isCached: reply.isCached && isCached,
        notice: [reply.notice, notice].filter((said) => said !== undefined).join('; ') || undefined,
      };
    }
    isCut ||= batches.length > REQUESTS;
    const parts = batches.slice(0, REQUESTS);
    const cited: Place[] = [];
    for (const [at, part] of parts.entries()) {
      context.progress(at, parts.length + 1, `part ${at + 1} of ${parts.length}`);
      const about = {
        ...asked,
        passages: part,
        streams: false,
        maxTokens: Math.min(asked.maxTokens, PART_TOKENS),
      };
      const reply = await askModel(assistant, about, context);
      isCached &&= reply.isCached;
      cited.push(...reply.claims.flatMap(({ places }) => places));
    }
    context.progress(parts.length, parts.length + 1, 'putting the parts together');
    if (cited.length === 0)
      return { claims: [], isNotInNotes: true, isCached, notice: 'the model cited nothing' };
    passages = cited;
  }
}
