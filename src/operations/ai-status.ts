import * as z from 'zod';
import { noAssistant } from './call/assistants.ts';
import { operation } from './operation.ts';
import { lines, noticed } from './shared/rendering.ts';

export const aiStatus = operation({
  name: 'ai_status',
  title: 'Who answers the AI tools',
  description:
    'Which provider and model answer the ai_* tools, whether it can be reached, what is kept of earlier answers, and what was spent of the budgets. Mode extractive means that there is no model: answers quote and count.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  places: [],
  toolset: 'ai',
  input: z.object({}),
  output: z.object({
    provider: z.string(),
    mode: z.enum(['generative', 'extractive']),
    model: z.string().optional(),
    /** Host and port that requests go to; absent when they stay on this machine or go to the client. */
    host: z.string().optional(),
    reachable: z.boolean(),
    /** Why it is not reachable, or why that is unknown. */
    problem: z.string().optional(),
    context_tokens: z.number().int(),
    cached_answers: z.number().int(),
    cache_bytes: z.number().int(),
    cache_hits: z.number().int(),
    cache_misses: z.number().int(),
    /** Spend of all callers since the start of the day and the month (UTC), and its limits. */
    spend: z.array(
      z.object({
        period: z.enum(['day', 'month']),
        since: z.string(),
        requests: z.number().int(),
        input_tokens: z.number().int(),
        output_tokens: z.number().int(),
        cost: z.number().optional(),
        limit_tokens: z.number().int().optional(),
        limit_cost: z.number().optional(),
      }),
    ),
    notice: z.string().optional(),
  }),
  rest: { method: 'GET', path: '/v1/ai/status' },
  cli: { noun: 'ai', verb: 'status' },
  summarise: (out) =>
    `AI tools are answered by ${out.provider}${out.model === undefined ? '' : ` (${out.model})`}, ${out.mode}; ${out.reachable ? 'reachable' : `not reachable: ${out.problem}`}.${noticed(out.notice)}`,
  render: (out) =>
    [
      ...(out.host === undefined ? [] : [`host: ${out.host}`]),
      `cache: ${out.cached_answers} answers, ${out.cache_bytes} bytes, ${out.cache_hits} hits, ${out.cache_misses} misses`,
      lines(
        out.spend,
        ({ period, input_tokens, output_tokens, cost, limit_tokens, limit_cost }) =>
          `this ${period}: ${input_tokens} + ${output_tokens} tokens${limit_tokens === undefined ? '' : ` of ${limit_tokens}`}${cost === undefined ? '' : `, ${cost}${limit_cost === undefined ? '' : ` of ${limit_cost}`} spent`}`,
      ),
    ]
      .filter((part) => part !== '')
      .join('\n'),
  run: async (_vault, _input, { assistant, signal }) => {
    if (assistant === undefined) throw noAssistant();
    const { provider, mode, model, contextTokens } = assistant;
    const { host, reachable, problem, cache, spend = [] } = await assistant.status(signal);
    return {
      provider,
      mode,
      ...(model !== undefined && { model }),
      ...(host !== undefined && { host }),
      reachable,
      ...(problem !== undefined && { problem }),
      context_tokens: contextTokens,
      cached_answers: cache?.answers ?? 0,
      cache_bytes: cache?.bytes ?? 0,
      cache_hits: cache?.hits ?? 0,
      cache_misses: cache?.misses ?? 0,
      spend: spend.map(({ period, since, requests, usage, cost, limitTokens, limitCost }) => ({
        period,
        since: new Date(since).toISOString(),
        requests,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        ...(cost !== undefined && { cost }),
        ...(limitTokens !== undefined && { limit_tokens: limitTokens }),
        ...(limitCost !== undefined && { limit_cost: limitCost }),
      })),
    };
  },
});
