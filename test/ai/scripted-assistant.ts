import type { Assistant, AssistantRequest } from '../../src/ai/assistant.ts';
import { estimateTokens } from '../../src/ai/tokens.ts';

/** What a model answers: a text, or an object where a schema was given. */
export type Script = (request: AssistantRequest) => string | object;

/** A model that says what a test writes for it, and remembers what it was sent. */
export class ScriptedAssistant implements Assistant {
  readonly mode = 'generative';
  readonly provider = 'scripted';
  readonly model = 'scripted-1';
  readonly requests: AssistantRequest[] = [];
  readonly contextTokens: number;
  readonly #script: Script;

  constructor(script: Script, contextTokens = 32_000) {
    this.#script = script;
    this.contextTokens = contextTokens;
  }

  estimate(text: string) {
    return { inputTokens: estimateTokens(text), isEstimated: true };
  }

  async generate(request: AssistantRequest) {
    request.signal.throwIfAborted();
    this.requests.push(request);
    const said = this.#script(request);
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    if (typeof said === 'string')
      for (let at = 0; at < text.length; at += 7) request.onDelta?.(text.slice(at, at + 7));
    return {
      text,
      ...(typeof said === 'object' && { object: said }),
      usage: { inputTokens: 10, outputTokens: 5, isEstimated: false },
      finish: 'stop' as const,
      model: 'scripted-1',
      isCached: false,
    };
  }

  spent() {
    const n = this.requests.length;
    return { usage: { inputTokens: 10 * n, outputTokens: 5 * n, isEstimated: false } };
  }

  async status() {
    return { reachable: true };
  }
}

/** The passages of a request, by their numbers, as a model reads them. */
export function passagesIn({ messages }: AssistantRequest): ReadonlyMap<number, string> {
  const content = messages.at(-1)?.content ?? '';
  const [, inner = ''] = /^<(?:NOTES-[0-9a-f]+)>\n([\s\S]*)\n<\/NOTES-[0-9a-f]+>/.exec(content) ?? [];
  const parts = inner.split(/(?:^|\n\n)(?=\[\d+\] )/).filter((part) => part !== '');
  return new Map(
    parts.map((part) => {
      const [, number = '0', text = ''] = /^\[(\d+)\] [^\n]*\n([\s\S]*)$/.exec(part) ?? [];
      return [Number(number), text] as const;
    }),
  );
}
