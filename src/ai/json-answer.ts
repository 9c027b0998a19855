import { LecternError } from '../errors.ts';
import type { Generated, GenerateRequest, TokenUsage } from './language-model.ts';

/** Characters of a wrong answer that are sent back with the request to correct it. */
const SHOWN = 4000;

/**
 * Requests an answer and parses it when the request has a schema. An answer that is not JSON is sent back
 * once for correction. The schema is also written into the instructions, because some servers ignore the
 * parameter.
 *
 * @param ask sends one request; each is charged separately
 * @returns `usage` is that of both requests
 * @throws LecternError `too_large` when the JSON is cut off, `ai_unavailable` when the second answer is not
 *   JSON either
 */
export async function parsedAnswer<Request extends GenerateRequest>(
  request: Request,
  ask: (request: Request) => Promise<Generated>,
): Promise<Generated> {
  if (request.schema === undefined) return await ask(request);
  const { onDelta: _untold, ...rest } = request;
  const asked = {
    ...rest,
    system: `${request.system}\n\nAnswer with one JSON value that fits this JSON Schema, and with nothing else:\n${JSON.stringify(request.schema)}`,
  } as Request;
  const first = await ask(asked);
  if (first.finish === 'refusal') return first;
  const object = jsonIn(first.text);
  if (object !== undefined) return { ...first, object };
  if (first.finish === 'length') throw tooLong();
  const second = await ask({
    ...asked,
    messages: [
      ...asked.messages,
      { role: 'assistant', content: first.text.slice(0, SHOWN) || '(nothing)' },
      { role: 'user', content: 'That is not valid JSON. Answer again, with the JSON value alone.' },
    ],
  });
  const both = { ...second, usage: sum(first.usage, second.usage) };
  if (second.finish === 'refusal') return both;
  const mended = jsonIn(second.text);
  if (mended !== undefined) return { ...both, object: mended };
  if (second.finish === 'length') throw tooLong();
  throw new LecternError('ai_unavailable', 'The model answered twice with something that is not JSON.', {
    next: 'Try again, ask for fewer fields, or use a model that follows schemas.',
  });
}

/** Parses a JSON value that may be in a code fence or between sentences; undefined when there is none. */
function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  const from = text.search(/[[{]/);
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const inner = from >= 0 && to > from ? text.slice(from, to + 1) : undefined;
  for (const candidate of [text, fenced, inner]) {
    if (candidate === undefined) continue;
    try {
      return JSON.parse(candidate) as unknown;
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}

export function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    isEstimated: one.isEstimated || other.isEstimated,
  };
}

function tooLong(): LecternError {
  return new LecternError('too_large', 'The JSON did not fit in the tokens that the answer may have.', {
    next: 'Give more max_tokens, or ask for fewer fields or notes.',
  });
}
