import type { Assistant } from '../../ai/assistant.ts';
import type { Place } from '../../ai/grounding/source.ts';

/** Sizes and wording that all requests to a model share. */

/** Share of the context that is used: the estimate of tokens may be too low. */
const MARGIN = 0.9;

/** Tokens that remain for passages besides the other text and the answer. Negative = it does not fit. */
export function roomFor(assistant: Assistant, frame: string, maxTokens: number): number {
  return Math.floor(assistant.contextTokens * MARGIN) - maxTokens - assistant.estimate(frame).inputTokens;
}

/** Tokens of a numbered passage including its header. */
export function passageTokens(assistant: Assistant, { source, start, end }: Place): number {
  return assistant.estimate(`[100] ${source.path}\n${source.text.slice(start, end)}\n\n`).inputTokens + 20;
}

/**
 * Letters, digits, spaces, brackets and hyphens of a language's name: no sentence remains that could instruct
 * a model.
 */
export function languageName(language: string): string {
  return language.replace(/[^\p{L}\p{N} ()-]/gu, '').slice(0, 40);
}
