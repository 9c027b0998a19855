import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Generated, GenerateRequest, LanguageModel } from '../../ai/language-model.ts';
import { estimateRequest, estimateTokens } from '../../ai/tokens.ts';
import { canonicalJson } from '../../canonical-json.ts';
import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { type Dialogue, InputNeeded, type InputRequest } from './dialogue.ts';

/** Limit of an answer, UTF-16 code units: a client may send any amount. */
const LONGEST_ANSWER = 200_000;

/**
 * The language model of the connected client, through MCP sampling. The call ends with an {@link InputNeeded}
 * error and is run again with the answer. Requests of the same turn of the event loop are sent together;
 * answers of earlier rounds are kept in the state that the client returns.
 *
 * @param dialogue undefined when there is no client to ask
 */
export function clientModel(dialogue: Dialogue | undefined): LanguageModel {
  const earlier = answersIn(dialogue?.state);
  const known: Record<string, unknown> = { ...earlier, ...dialogue?.answers };
  const waiting: Record<string, InputRequest> = {};
  let asking: Promise<never> | undefined;

  /** Waits one turn of the event loop, in which parallel requests are added. */
  async function askAll(): Promise<never> {
    await setImmediate();
    throw new InputNeeded({ ...waiting }, { answers: known });
  }

  return {
    provider: 'client',
    model: 'the client’s own',
    async generate(request) {
      if (dialogue?.canAnswer('sampling/createMessage') !== true) throw cannotAsk();
      const key = keyOf(request);
      const answer = known[key];
      if (answer !== undefined) return generated(answer, request);
      waiting[key] = { method: 'sampling/createMessage', params: paramsOf(request) };
      asking ??= askAll();
      return await asking;
    },
  };
}

function paramsOf({
  system,
  messages,
  maxTokens,
  temperature,
}: GenerateRequest): Readonly<Record<string, unknown>> {
  return {
    messages: messages.map(({ role, content }) => ({ role, content: { type: 'text', text: content } })),
    systemPrompt: system,
    maxTokens,
    ...(temperature !== undefined && { temperature }),
  };
}

function keyOf({ system, messages, maxTokens, temperature }: GenerateRequest): string {
  const text = canonicalJson({ system, messages, maxTokens, temperature });
  return `ai_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}

/**
 * Converts a client's answer, which may have any shape.
 * @throws LecternError `ai_unavailable` when it has no text or too much
 */
function generated(answer: unknown, request: GenerateRequest): Generated {
  const { content, model, stopReason } = isRecord(answer) ? answer : {};
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const text = blocks
    .map((block) =>
      isRecord(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : '',
    )
    .join('');
  if (text === '')
    throw new LecternError('ai_unavailable', 'The client’s model gave no text, or its user declined.', {
      next: 'Allow the request in the client, or ask the owner for another ai.provider.',
    });
  if (text.length > LONGEST_ANSWER)
    throw new LecternError('ai_unavailable', 'The client’s model gave more text than was asked for.', {
      next: 'Try again, or ask the owner for another ai.provider.',
    });
  request.onDelta?.(text);
  return {
    text,
    usage: {
      inputTokens: estimateRequest(request),
      outputTokens: estimateTokens(text),
      isEstimated: true,
    },
    finish: stopReason === 'maxTokens' ? 'length' : 'stop',
    model: typeof model === 'string' && model !== '' ? model.slice(0, 200) : 'the client’s own',
  };
}

function answersIn(state: unknown): Readonly<Record<string, unknown>> {
  const answers = isRecord(state) ? state.answers : undefined;
  return isRecord(answers) ? answers : {};
}

function cannotAsk(): LecternError {
  return new LecternError(
    'ai_unavailable',
    'The AI tools are answered by the model of the connected client, and this one has none to lend.',
    {
      next: 'Use an MCP client that declares sampling, or ask the owner to set ai.provider to another one.',
    },
  );
}
