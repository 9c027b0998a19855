import { LecternError } from '../errors.ts';
import { isLoopback } from './loopback.ts';
import { type Environment, SettingReader } from './setting-values.ts';

export type AiProvider =
  | 'none'
  | 'builtin'
  | 'openai-compatible'
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'client';

/**
 * The provider behind the `ai_*` tools. Plain data without secrets: the key stays in the environment, see
 * {@link aiKey}.
 */
export interface AiSetting {
  readonly provider: AiProvider;
  readonly model: string | undefined;
  /** undefined = the provider's own default address. */
  readonly baseUrl: string | undefined;
  /** Most tokens of one request, including its answer. */
  readonly contextTokens: number;
  /** Longest time for one answer, ms. */
  readonly timeoutMs: number;
  readonly limits: AiLimits;
  readonly prices: AiPrices;
}

/** Limits of tokens and cost; undefined = no limit. Days and months are those of UTC. */
export interface AiLimits {
  readonly callTokens: number | undefined;
  readonly dayTokens: number | undefined;
  readonly monthTokens: number | undefined;
  readonly dayCost: number | undefined;
  readonly monthCost: number | undefined;
}

/** Prices per million tokens, in one currency. */
export interface AiPrices {
  readonly input: number;
  readonly output: number;
}

/** Providers reached over the network. */
export type HostedProvider = 'openai-compatible' | 'openai' | 'anthropic' | 'google';

const HOSTED: ReadonlySet<AiProvider> = new Set<HostedProvider>([
  'openai-compatible',
  'openai',
  'anthropic',
  'google',
]);

/** Whether a provider is reached over the network. */
export function isHosted(provider: AiProvider): provider is HostedProvider {
  return HOSTED.has(provider);
}

/**
 * The settings of the AI tools.
 *
 * @throws LecternError `invalid_input` for a provider without its required settings, or an address that would
 *   send notes unencrypted
 */
export function resolveAi(setting: SettingReader): AiSetting {
  const provider = setting.value('ai.provider') as AiProvider;
  const model = setting.value('ai.model');
  const address = setting.value('ai.base_url');
  const shared = { provider, ...boundsOf(setting) };
  if (!isHosted(provider)) return { ...shared, model: undefined, baseUrl: undefined };
  if (model === undefined)
    throw new LecternError('invalid_input', `ai.provider is ${provider}, but no model is named.`, {
      next: 'Name one with ai.model or --ai-model.',
    });
  if (address === undefined && provider === 'openai-compatible')
    throw new LecternError('invalid_input', 'ai.provider is openai-compatible, but no address is given.', {
      next: 'Give it with ai.base_url or --ai-url, e.g. http://127.0.0.1:11434/v1.',
    });
  const baseUrl = address === undefined ? undefined : safeUrl(address, setting.value('ai.allow_hosts'));
  return { ...shared, model, baseUrl };
}

function boundsOf(setting: SettingReader): Omit<AiSetting, 'provider' | 'model' | 'baseUrl'> {
  const limit = (value: number) => (value === 0 ? undefined : value);
  const limits: AiLimits = {
    callTokens: limit(setting.value('ai.call_tokens')),
    dayTokens: limit(setting.value('ai.day_tokens')),
    monthTokens: limit(setting.value('ai.month_tokens')),
    dayCost: limit(setting.value('ai.day_cost')),
    monthCost: limit(setting.value('ai.month_cost')),
  };
  const prices = { input: setting.value('ai.price_input'), output: setting.value('ai.price_output') };
  if ((limits.dayCost ?? limits.monthCost) !== undefined && prices.input === 0 && prices.output === 0)
    throw new LecternError('invalid_input', 'There is a limit in money, but no price to count by.', {
      next: 'Set ai.price_input and ai.price_output, or limit tokens with ai.day_tokens and ai.month_tokens.',
    });
  return {
    contextTokens: setting.value('ai.context_tokens'),
    timeoutMs: setting.value('ai.timeout') * 1000,
    limits,
    prices,
  };
}

/** The provider's key; undefined when none is set. Never put it into a setting, log or error. */
export function aiKey(environment: Environment): string | undefined {
  return new SettingReader({}, environment).value('ai.key');
}

function safeUrl(address: string, allowed: readonly string[]): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new LecternError('invalid_input', 'ai.base_url is not the address of a provider.', {
      next: 'Give it like https://example.org/v1.',
    });
  // Addresses are shown in errors and logs; the message must not repeat this one.
  if (url.username !== '' || url.password !== '')
    throw new LecternError('invalid_input', 'ai.base_url cannot hold a name or password.', {
      next: 'Put the key into LECTERN_AI_KEY.',
    });
  const isAllowed = allowed.some(
    (host) => host.toLowerCase() === url.hostname || host.toLowerCase() === url.host,
  );
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isAllowed)
    throw new LecternError('invalid_input', `ai.base_url would send notes to ${url.host} in the clear.`, {
      next: `Use https, or allow it by name: ai.allow_hosts ${url.hostname}.`,
    });
  return url.href.replace(/\/+$/, '');
}
