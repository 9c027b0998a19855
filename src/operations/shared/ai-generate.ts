import type { Assistant, CacheUse } from '../../ai/assistant.ts';
import { citationOf } from '../../ai/grounding/citation.ts';
import { escapedText } from '../../ai/grounding/escaped.ts';
import { fence, fenceRules } from '../../ai/grounding/fence.ts';
import {
  type Claim,
  NOT_IN_NOTES,
  REPLY_FORM,
  ReplyReader,
  saysNotInNotes,
} from '../../ai/grounding/reply.ts';
import type { Place } from '../../ai/grounding/source.ts';
import type { ModelMessage } from '../../ai/language-model.ts';
import { LecternError } from '../../errors.ts';
import type { OperationContext } from '../operation.ts';
import { toCitationRow } from './ai-fields.ts';
import { halvesOf } from './ai-reading.ts';
import { languageName, passageTokens, roomFor } from './ai-request.ts';

/** A request to a model about passages of notes. */
export interface PassageRequest {
  readonly operation: string;
  /** Must change with the wording of `task`. */
  readonly promptVersion: string;
  /** The task, written by Lectern; it contains no text of notes or callers. */
  readonly task: string;
  /** The caller's text, placed after the passages; undefined = none. */
  readonly request?: string | undefined;
  readonly history?: readonly ModelMessage[];
  readonly passages: readonly Place[];
  readonly language?: string | undefined;
  readonly maxTokens: number;
  readonly seed?: number | undefined;
  readonly cache: CacheUse;
  /** Whether sentences and citations are sent to {@link OperationContext.partial} as they arrive. */
  readonly streams: boolean;
  /** Whether only supported sentences are streamed. */
  readonly supportedOnly: boolean;
}

export interface PassageReply {
  readonly claims: readonly Claim[];
  readonly isNotInNotes: boolean;
  readonly isCached: boolean;
  /** A notice for the caller: the answer was cut, or refused. */
  readonly notice: string | undefined;
}

/** Default tokens of an answer, and the least that must remain for passages. */
const USUAL_TOKENS = 800;
const LEAST_ROOM = 300;

/** Tokens for the answer: what the caller wants, at most a third of the model's context. */
export function answerTokens(assistant: Assistant, wanted: number | undefined): number {
  return Math.min(wanted ?? USUAL_TOKENS, Math.floor(assistant.contextTokens / 3));
}

/** The passages that fit into one request, from the first. */
export function fitting(
  assistant: Assistant,
  asked: Omit<PassageRequest, 'passages'>,
  passages: readonly Place[],
): Place[] {
  return batchesOf(assistant, asked, passages)[0] ?? [];
}

/**
 * Distributes passages over requests, in their order. A passage that is larger than a request is split.
 * @throws LecternError `too_large` when the request leaves no room for passages
 */
export function batchesOf(
  assistant: Assistant,
  asked: Omit<PassageRequest, 'passages'>,
  passages: readonly Place[],
): Place[][] {
  const { system, messages } = messagesOf({ ...asked, passages: [] });
  const frame = [system, ...messages.map(({ content }) => content)].join('\n');
  const room = roomFor(assistant, frame, asked.maxTokens);
  if (room < LEAST_ROOM) {
    throw new LecternError('too_large', 'The question and its history leave the model no room for notes.', {
      details: { context_tokens: assistant.contextTokens },
      next: 'Send less history or a smaller max_tokens.',
    });
  }
  const batches: Place[][] = [];
  let left = 0;
  for (const passage of passages.flatMap((one) => piecesOf(assistant, one, room))) {
    const tokens = passageTokens(assistant, passage);
    if (tokens > left) {
      batches.push([]);
      left = room;
    }
    batches.at(-1)?.push(passage);
    left -= tokens;
  }
  return batches;
}

/** A passage in pieces of at most `room` tokens. A piece that is too short to split further is left out. */
function piecesOf(assistant: Assistant, passage: Place, room: number): readonly Place[] {
  if (passageTokens(assistant, passage) <= room) return [passage];
  return halvesOf(passage).flatMap((half) => piecesOf(assistant, half, room));
}

/**
 * Asks a model about passages and parses its reply. The model has no tools: its text is verified, never
 * executed.
 */
export async function askModel(
  assistant: Assistant,
  asked: PassageRequest,
  context: OperationContext,
): Promise<PassageReply> {
  const { passages } = asked;
  const listener = asked.streams ? context.partial : undefined;
  let citations = 0;
  const live = new ReplyReader(passages, ({ text, places }) => {
    if (asked.supportedOnly && places.length === 0) return;
    listener?.({ kind: 'partial', text: escapedText(text) });
    for (const place of places)
      listener?.({ kind: 'citation', citation: toCitationRow(citationOf(place), citations++) });
  });
  let isLive = false;
  const { text, finish, isCached } = await assistant.generate({
    ...messagesOf(asked),
    operation: asked.operation,
    promptVersion: asked.promptVersion,
    notes: [
      ...new Map(
        passages.map(({ source }) => [source.path, { path: source.path, etag: source.etag }]),
      ).values(),
    ],
    cache: asked.cache,
    maxTokens: asked.maxTokens,
    temperature: 0,
    ...(asked.seed !== undefined && { seed: asked.seed }),
    signal: context.signal,
    ...(listener && {
      onDelta: (delta: string) => {
        isLive = true;
        live.write(delta);
      },
    }),
  });
  if (listener) {
    // A cached answer, or one of a model that does not stream, is sent at once.
    if (!isLive) live.write(text);
    live.end(finish === 'length');
    listener({ kind: 'usage', usage: assistant.spent() });
  }
  const reader = new ReplyReader(passages);
  reader.write(text);
  const claims = finish === 'refusal' ? [] : reader.end(finish === 'length');
  return {
    claims,
    isNotInNotes: claims.length === 0 && saysNotInNotes(text),
    isCached,
    notice:
      finish === 'refusal'
        ? 'the model refused to answer'
        : finish === 'length'
          ? 'the answer was cut at max_tokens'
          : undefined,
  };
}

function messagesOf(asked: Omit<PassageRequest, 'passages'> & Pick<PassageRequest, 'passages'>): {
  system: string;
  messages: ModelMessage[];
} {
  const { text, mark } = fence(asked.passages);
  const language =
    asked.language === undefined
      ? 'the language of the question or, without one, of the notes'
      : languageName(asked.language);
  const system = [
    asked.task,
    fenceRules(mark),
    REPLY_FORM,
    `If the passages do not say it, write ${NOT_IN_NOTES} and nothing else.`,
    `Write in ${language}; quotes stay as they are.`,
  ].join('\n\n');
  const content = asked.request === undefined ? text : `${text}\n\n${asked.request}`;
  return { system, messages: [...(asked.history ?? []), { role: 'user', content }] };
}
