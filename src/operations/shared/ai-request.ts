import type { Assistant } from '../../ai/assistant.ts';
import type { Place } from '../../ai/grounding/source.ts';

/** What every request to a model is measured and worded by. */

/** A request is counted by an estimate, which may be under. */
const MARGIN = 0.9;

/** Tokens that are left to passages beside the rest of a request, its answer included. Below zero = it does not fit. */
export function roomFor(assistant: Assistant, frame: string, maxTokens: number): number {
  return Math.floor(assistant.contextTokens * MARGIN) - maxTokens - assistant.estimate(frame).inputTokens;
}

/** Tokens of a numbered passage, with what stands around it. */
export function passageTokens(assistant: Assistant, { source, start, end }: Place): number {
  return assistant.estimate(`[100] ${source.path}\n${source.text.slice(start, end)}\n\n`).inputTokens + 20;
}

/** A language is named in words and signs of names, nothing that could be a sentence. */
export function languageName(language: string): string {
  return language.replace(/[^\p{L}\p{N} ()-]/gu, '').slice(0, 40);
}
