import type { LanguageModelV3 } from '@ai-sdk/provider';
import { guardedFetch } from './guarded-fetch.ts';

export type HostedProvider = 'openai-compatible' | 'openai' | 'anthropic' | 'google';

export interface HostedOptions {
  readonly provider: HostedProvider;
  readonly model: string;
  /** Undefined = the provider's public address. */
  readonly baseUrl?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * Default addresses. They are always passed on: a provider's package would otherwise read variables of the
 * environment that are not Lectern's.
 */
const BASE_URLS = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
} as const;

export function baseUrlOf({ provider, baseUrl }: HostedOptions): string {
  if (baseUrl !== undefined) return baseUrl;
  if (provider === 'openai-compatible')
    throw new Error('An openai-compatible provider has no address of its own.');
  return BASE_URLS[provider];
}

/** Loads the package of the configured provider and returns its model. */
export async function loadModel(options: HostedOptions): Promise<LanguageModelV3> {
  const { provider, model, key = '' } = options;
  const shared = { baseURL: baseUrlOf(options), apiKey: key, fetch: guardedFetch };
  switch (provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const { apiKey, ...rest } = shared;
      return createOpenAICompatible({
        name: 'compatible',
        ...rest,
        ...(apiKey !== '' && { apiKey }),
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(shared).chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(shared)(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(shared)(model);
    }
  }
}

/** The request that tests a provider: its list of models. It contains no text of notes. */
export function listRequest(options: HostedOptions): { url: string; headers: Record<string, string> } {
  const { provider, key } = options;
  const url = `${baseUrlOf(options)}/models`;
  if (key === undefined) return { url, headers: {} };
  switch (provider) {
    case 'anthropic':
      return { url, headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' } };
    case 'google':
      return { url, headers: { 'x-goog-api-key': key } };
    default:
      return { url, headers: { Authorization: `Bearer ${key}` } };
  }
}
