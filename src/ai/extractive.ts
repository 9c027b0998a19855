import { LecternError } from '../errors.ts';
import type { Assistant } from './assistant.ts';
import { estimateTokens } from './tokens.ts';

/** Practically unlimited: extraction reads notes one by one and sends no request. */
const CONTEXT_TOKENS = 1_000_000;

/** The assistant without a model. It sends, spends and stores nothing. */
export const EXTRACTIVE: Assistant = {
  mode: 'extractive',
  provider: 'builtin',
  contextTokens: CONTEXT_TOKENS,
  estimate: (text) => ({ inputTokens: estimateTokens(text), isEstimated: true }),
  generate: async () => {
    throw new LecternError('ai_unavailable', 'This needs a language model, and ai.provider is builtin.', {
      next: 'Ask the owner to set ai.provider to a provider of models, or do without what only a model can do.',
    });
  },
  spent: () => ({ usage: { inputTokens: 0, outputTokens: 0, isEstimated: false } }),
  status: async () => ({ reachable: true }),
};
