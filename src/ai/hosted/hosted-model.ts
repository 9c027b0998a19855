import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Usage } from '@ai-sdk/provider';
import { LecternError } from '../../errors.ts';
import type { Generated, GenerateRequest, LanguageModel, TokenUsage } from '../language-model.ts';
import { estimateRequest, estimateTokens } from '../tokens.ts';
import { failureOf, LONGEST_WAIT_MS } from './failure.ts';
import { WireError } from './guarded-fetch.ts';
import { baseUrlOf, type HostedOptions, loadModel } from './providers.ts';

export interface HostedModelOptions extends HostedOptions {
  /** Time limit of one answer, ms. */
  readonly timeoutMs: number;
  /** Before the second request for one answer, where the provider does not say how long; twice as long before the third, ms. */
  readonly firstWaitMs?: number;
}

/**
 * Most requests for one answer: further ones are sent when the provider is overloaded or closes the
 * connection.
 */
const ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;

/** A model at a provider. Its package is loaded by the first {@link LanguageModel.generate}. */
export function hostedModel(options: HostedModelOptions): LanguageModel {
  const who = `${options.provider} at ${new URL(baseUrlOf(options)).host}`;
  let loading: Promise<LanguageModelV3> | undefined;
  return {
    provider: options.provider,
    model: options.model,
    async generate(request) {
      loading ??= loadModel(options);
      return await withRetries(await loading, request, who, options);
    },
  };
}

async function withRetries(
  model: LanguageModelV3,
  request: GenerateRequest,
  who: string,
  { timeoutMs, firstWaitMs = FIRST_WAIT_MS }: HostedModelOptions,
): Promise<Generated> {
  for (let attempt = 1; ; attempt += 1) {
    request.signal.throwIfAborted();
    let hasStreamed = false;
    const onDelta =
      request.onDelta &&
      ((text: string) => {
        hasStreamed = true;
        request.onDelta?.(text);
      });
    const ending = AbortSignal.timeout(timeoutMs);
    try {
      return await once(
        model,
        { ...request, ...(onDelta && { onDelta }) },
        AbortSignal.any([request.signal, ending]),
      );
    } catch (thrown) {
      request.signal.throwIfAborted();
      if (ending.aborted) throw tooSlow(who, timeoutMs);
      const { error, mayPass, waitMs } = failureOf(thrown, who);
      // Text that was passed on cannot be withdrawn, and a second answer would continue differently.
      if (!mayPass || hasStreamed || attempt === ATTEMPTS) throw error;
      const backOff = firstWaitMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      await delay(Math.min(waitMs ?? backOff, LONGEST_WAIT_MS), undefined, { signal: request.signal }).catch(
        () => request.signal.throwIfAborted(),
      );
    }
  }
}

async function once(
  model: LanguageModelV3,
  request: GenerateRequest,
  signal: AbortSignal,
): Promise<Generated> {
  const options = callOptions(request, signal);
  // Streams only when the caller wants pieces: some servers follow a schema only without streaming.
  const answer =
    request.onDelta === undefined || request.schema !== undefined
      ? await whole(model, options, request)
      : await inPieces(model, options, request, request.onDelta);
  if (answer.text === '' && answer.finish === 'other') throw new WireError('it answers with nothing');
  return answer;
}

async function whole(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  request: GenerateRequest,
): Promise<Generated> {
  const { content, finishReason, usage, response } = await model.doGenerate(options);
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return {
    text,
    usage: usageOf(usage, request, text),
    finish: finishOf(finishReason.unified),
    model: response?.modelId ?? model.modelId,
  };
}

async function inPieces(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  request: GenerateRequest,
  onDelta: (text: string) => void,
): Promise<Generated> {
  const { stream } = await model.doStream(options);
  const reader = stream.getReader();
  let text = '';
  let answeredBy = model.modelId;
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) throw new WireCut();
      if (part.type === 'text-delta') {
        text += part.delta;
        onDelta(part.delta);
      } else if (part.type === 'response-metadata') {
        answeredBy = part.modelId ?? answeredBy;
      } else if (part.type === 'error') {
        throw part.error;
      } else if (part.type === 'finish') {
        const { finishReason, usage } = part;
        // The connection closed before the provider gave a reason to finish.
        if (finishReason.raw === undefined) throw new WireCut();
        return {
          text,
          usage: usageOf(usage, request, text),
          finish: finishOf(finishReason.unified),
          model: answeredBy,
        };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The stream ended before the answer was complete. */
class WireCut extends Error {
  override readonly name = 'WireCut';
}

function callOptions(
  { system, messages, schema, maxTokens, temperature, seed }: GenerateRequest,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions {
  // The answer is validated later, and a caller's schema need not follow the strict rules of providers.
  const lenient = { strictJsonSchema: false };
  return {
    prompt: [
      { role: 'system', content: system },
      ...messages.map(({ role, content }) => ({ role, content: [{ type: 'text' as const, text: content }] })),
    ],
    maxOutputTokens: maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(seed !== undefined && { seed }),
    ...(schema !== undefined && { responseFormat: { type: 'json', schema, name: 'answer' } }),
    providerOptions: { compatible: lenient, openai: lenient },
    abortSignal,
  };
}

function finishOf(reason: string): Generated['finish'] {
  if (reason === 'stop' || reason === 'length') return reason;
  return reason === 'content-filter' ? 'refusal' : 'other';
}

function usageOf(
  { inputTokens, outputTokens }: LanguageModelV3Usage,
  request: GenerateRequest,
  text: string,
): TokenUsage {
  const input = inputTokens.total;
  const output = outputTokens.total;
  // Some servers send zero instead of no count.
  const isEstimated = !input || output === undefined;
  return {
    inputTokens: input || estimateRequest(request),
    outputTokens: output ?? estimateTokens(text),
    isEstimated,
  };
}

function tooSlow(who: string, timeoutMs: number): LecternError {
  return new LecternError('timeout', `${who} had no answer within ${timeoutMs / 1000} s.`, {
    details: { limit_ms: timeoutMs },
    next: 'Ask for less at once: fewer notes, a smaller max_tokens. The owner may allow more with ai.timeout.',
  });
}
