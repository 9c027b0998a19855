import type { GenerateRequest } from './language-model.ts';

/**
 * Estimates the tokens of a text without the model's tokeniser, rather too many than too few. English has
 * four to five characters per token, other alphabets about two, scripts without spaces one.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    tokens += unit < 0x80 ? 0.28 : unit < 0x0900 ? 0.5 : 1;
  }
  return Math.ceil(tokens);
}

/** Estimates the tokens of a whole request. */
export function estimateRequest({ system, messages }: Pick<GenerateRequest, 'system' | 'messages'>): number {
  return [system, ...messages.map(({ content }) => content)].reduce(
    (sum, text) => sum + estimateTokens(text) + 4,
    0,
  );
}
