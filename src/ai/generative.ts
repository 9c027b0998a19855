import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { isLecternError, LecternError } from '../errors.ts';
import type { Assistant, AssistantRequest, AssistantStatus, Assisted } from './assistant.ts';
import type { AnswerCache } from './cache/answer-cache.ts';
import { parsedAnswer, sum } from './json-answer.ts';
import type { Generated, LanguageModel, TokenUsage } from './language-model.ts';
import type { Ledger } from './spend/ledger.ts';
import { estimateRequest, estimateTokens } from './tokens.ts';

/** One request that was sent, for the audit log. */
export interface RequestSent {
  readonly operation: string;
  readonly model: string;
  readonly paths: readonly string[];
  readonly usage: TokenUsage;
  readonly outcome: 'ok' | 'error' | 'cancelled';
}

export interface GenerativeOptions {
  readonly model: LanguageModel;
  /** Host and port of the provider; undefined = the model of the connected client. */
  readonly host: string | undefined;
  readonly contextTokens: number;
  /** Budget of tokens for all requests of the call; undefined = no limit. */
  readonly callTokens: number | undefined;
  readonly ledger: Ledger;
  readonly cache: AnswerCache;
  /** How long a request may take including waits and retries, ms; see {@link Ledger.reserve}. */
  readonly holdMs: number;
  /**
   * Whether an error is a question to the client: the client answers it by repeating the call, and nothing is
   * spent yet.
   */
  readonly isQuestion: (error: unknown) => boolean;
  readonly sent: (request: RequestSent) => void;
  readonly reachable: (signal: AbortSignal) => Promise<Pick<AssistantStatus, 'reachable' | 'problem'>>;
}

/** A model with budget, cache and audit, for one call. */
export function generativeAssistant(options: GenerativeOptions): Assistant {
  const { model, host, contextTokens, callTokens, ledger, cache } = options;
  let spent: TokenUsage = { inputTokens: 0, outputTokens: 0, isEstimated: false };
  let inFlight = 0;

  async function ask(request: AssistantRequest): Promise<Generated> {
    const inputTokens = estimateAll(request);
    const atMost = inputTokens + request.maxTokens;
    if (atMost > contextTokens) throw tooLarge(inputTokens, request.maxTokens, contextTokens);
    const left = callTokens === undefined ? undefined : callTokens - total(spent) - inFlight;
    if (left !== undefined && atMost > left) throw callOverspent(Math.max(0, left), atMost);
    const reserved = ledger.reserve({ inputTokens, outputTokens: request.maxTokens }, options.holdMs);
    inFlight += atMost;
    let streamed = '';
    const onDelta =
      request.onDelta &&
      ((text: string) => {
        streamed += text;
        request.onDelta?.(text);
      });
    const settle = (usage: TokenUsage, outcome: RequestSent['outcome']): void => {
      reserved.settle(usage);
      spent = sum(spent, usage);
      report(request, usage, outcome);
    };
    try {
      const answer = await model.generate({ ...request, ...(onDelta && { onDelta }) });
      settle(answer.usage, 'ok');
      return answer;
    } catch (error) {
      const guess = { inputTokens, outputTokens: estimateTokens(streamed), isEstimated: true };
      if (options.isQuestion(error)) {
        reserved.release();
        report(request, { ...guess, outputTokens: 0 }, 'ok');
      } else if (request.signal.aborted) {
        settle(guess, 'cancelled');
      } else if (streamed !== '' || (isLecternError(error) && error.code === 'timeout')) {
        // The provider had started to answer and probably charges for it.
        settle(guess, 'error');
      } else {
        reserved.release();
        report(request, { ...guess, outputTokens: 0 }, 'error');
      }
      throw error;
    } finally {
      inFlight -= atMost;
    }
  }

  function report(
    { operation, notes }: AssistantRequest,
    usage: TokenUsage,
    outcome: RequestSent['outcome'],
  ): void {
    const paths = [...new Set(notes.map(({ path }) => path))];
    options.sent({ operation, model: model.model, paths, usage, outcome });
  }

  return {
    mode: 'generative',
    provider: model.provider,
    model: model.model,
    contextTokens,
    estimate: (text) => ({ inputTokens: estimateTokens(text), isEstimated: true }),
    async generate(request): Promise<Assisted> {
      request.signal.throwIfAborted();
      const key = request.cache === 'off' ? undefined : keyOf(request, model, host);
      const kept = key === undefined || request.cache === 'refresh' ? undefined : cache.get(key);
      if (kept !== undefined) {
        if (request.schema === undefined) request.onDelta?.(kept.text);
        return { ...kept, usage: NOTHING, isCached: true };
      }
      const answer = await parsedAnswer(request, ask);
      if (key !== undefined && answer.finish === 'stop') cache.put(key, answer, request.notes);
      return { ...answer, isCached: false };
    },
    spent() {
      const cost = ledger.costOf(spent);
      return { usage: spent, ...(cost !== undefined && { cost }) };
    },
    async status(signal) {
      return {
        ...(host !== undefined && { host }),
        ...(await options.reachable(signal)),
        cache: cache.state(),
        spend: ledger.spent(),
      };
    },
  };
}

const NOTHING: TokenUsage = { inputTokens: 0, outputTokens: 0, isEstimated: false };

/**
 * The cache key: a SHA-256 digest of everything an answer depends on. It contains the version of each note,
 * and the caller has read them, so no caller receives an answer from notes that it may not read.
 */
function keyOf(
  request: AssistantRequest,
  { provider, model }: LanguageModel,
  host: string | undefined,
): string {
  const { operation, promptVersion, system, messages, schema, maxTokens, temperature, seed } = request;
  const notes = request.notes.map(({ path, etag }) => `${path}\0${etag}`).sort();
  const all = {
    operation,
    promptVersion,
    system,
    messages,
    schema,
    maxTokens,
    temperature,
    seed,
    notes,
    provider,
    model,
    host,
  };
  return createHash('sha256').update(canonicalJson(all)).digest('base64url');
}

/** The schema is part of the request twice: by itself and in the instructions. */
function estimateAll({ schema, ...request }: AssistantRequest): number {
  return estimateRequest(request) + (schema === undefined ? 0 : estimateTokens(JSON.stringify(schema)));
}

function total({ inputTokens, outputTokens }: TokenUsage): number {
  return inputTokens + outputTokens;
}

function tooLarge(input: number, answer: number, limit: number): LecternError {
  return new LecternError(
    'too_large',
    `The request has about ${input} tokens and asks for ${answer}; the model takes ${limit} together.`,
    {
      details: { input_tokens: input, max_tokens: answer, limit },
      next: 'Ask about fewer notes, or give a smaller max_tokens. The owner may set ai.context_tokens if the model takes more.',
    },
  );
}

function callOverspent(left: number, wanted: number): LecternError {
  return new LecternError(
    'ai_unavailable',
    `This call has ${left} tokens left, and the next request may take ${wanted}.`,
    {
      details: { period: 'call', unit: 'tokens', left, wanted },
      next: 'Ask about less at once. The owner may allow more with ai.call_tokens.',
    },
  );
}
