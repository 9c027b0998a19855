import type { ConfigValues } from './file/schema.ts';

/** One setting and the places it can come from, in the order of who wins: flag, environment, file, default. */
export interface SettingRow {
  /** Where it is in the configuration file. */
  readonly key: readonly [string, ...string[]];
  /** As the command line library names it: `--allow-read` is `allowRead`. */
  readonly flag?: string;
  /** The first that is set counts. */
  readonly env: readonly string[];
  readonly kind: 'text' | 'list' | 'yes' | 'number' | 'secret';
  /** What holds when nobody says anything; undefined = nothing. */
  readonly fallback?: string | number | boolean;
  /** A server that runs follows a change at once; otherwise the next start does. */
  readonly live: boolean;
  /** What somebody who is not the owner may do with it, given the scope for settings. */
  readonly agent: 'sets' | 'reads' | 'nothing';
}

/** Parts of the file that a running server follows. */
const LIVE = /^(?:read_only|paths|tools|prompts|daily_notes)(?:\.|$)/;

/**
 * All others are for the owner: they say who may come in, what can be seen and done, where notes go and
 * what the owner learns of it, or name places that rules hide.
 */
const AGENT_SETS: readonly string[] = ['daily_notes.folder', 'daily_notes.format'];
const AGENT_READS: readonly string[] = [
  'read_only',
  'prompts.folder',
  'history.days',
  'history.megabytes',
  'log_level',
  'http.request_limit',
  'http.body_limit',
  'http.session_idle',
  'http.rate_limit',
];

const row = (
  key: string,
  flag: string | undefined,
  env: string,
  kind: SettingRow['kind'],
  fallback?: SettingRow['fallback'],
): SettingRow => ({
  key: key.split('.') as [string, ...string[]],
  env: env.split(' '),
  kind,
  live: LIVE.test(key),
  agent: AGENT_SETS.includes(key) ? 'sets' : AGENT_READS.includes(key) ? 'reads' : 'nothing',
  ...(flag !== undefined && { flag }),
  ...(fallback !== undefined && { fallback }),
});

/** Every setting but the vaults, which have names and rules of their own. */
export const SETTING_TABLE: readonly SettingRow[] = [
  row('read_only', 'readOnly', 'LECTERN_READ_ONLY', 'yes', false),
  row('paths.read.allow', 'allowRead', 'LECTERN_ALLOW_READ', 'list'),
  row('paths.read.deny', 'denyRead', 'LECTERN_DENY_READ', 'list'),
  row('paths.write.allow', 'allowWrite', 'LECTERN_ALLOW_WRITE', 'list'),
  row('paths.write.deny', 'denyWrite', 'LECTERN_DENY_WRITE', 'list'),
  row('tools.allow', 'tools', 'LECTERN_TOOLS', 'list'),
  row('tools.deny', 'withoutTools', 'LECTERN_WITHOUT_TOOLS', 'list'),
  row('prompts.folder', undefined, 'LECTERN_PROMPTS_FOLDER', 'text', 'Prompts'),
  row('daily_notes.folder', undefined, 'LECTERN_DAILY_NOTES_FOLDER', 'text', 'Daily'),
  row('daily_notes.format', undefined, 'LECTERN_DAILY_NOTES_FORMAT', 'text', 'YYYY-MM-DD'),
  row('history.days', 'historyDays', 'LECTERN_HISTORY_DAYS', 'number', 30),
  row('history.megabytes', 'historySize', 'LECTERN_HISTORY_SIZE', 'number', 1024),
  row('log_level', 'logLevel', 'LECTERN_LOG_LEVEL', 'text', 'warn'),
  row('state', 'state', 'LECTERN_STATE', 'text'),
  row('embedder', 'embedder', 'LECTERN_EMBEDDER', 'text'),
  row('embedder_key', undefined, 'LECTERN_EMBEDDER_KEY', 'secret'),
  row('http.host', 'host', 'LECTERN_HOST', 'text', '127.0.0.1'),
  row('http.port', 'port', 'LECTERN_PORT', 'number', 7862),
  row('http.public_url', 'publicUrl', 'LECTERN_PUBLIC_URL', 'text'),
  row('http.allow_hosts', 'allowHost', 'LECTERN_ALLOW_HOST', 'list'),
  row('http.allow_origins', 'allowOrigin', 'LECTERN_ALLOW_ORIGIN', 'list'),
  row('http.trust_proxies', 'trustProxy', 'LECTERN_TRUST_PROXY', 'list'),
  row('http.tls_cert', 'tlsCert', 'LECTERN_TLS_CERT', 'text'),
  row('http.tls_key', 'tlsKey', 'LECTERN_TLS_KEY', 'text'),
  row('http.request_limit', 'requestLimit', 'LECTERN_REQUEST_LIMIT', 'number', 60),
  row('http.body_limit', 'bodyLimit', 'LECTERN_BODY_LIMIT', 'number', 4096),
  row('http.session_idle', 'sessionIdle', 'LECTERN_SESSION_IDLE', 'number', 30),
  row('http.oauth', 'oauth', 'LECTERN_OAUTH', 'yes', false),
  row('http.oauth_client', 'oauthClient', 'LECTERN_OAUTH_CLIENT', 'text'),
  row('http.oauth_client_secret', undefined, 'LECTERN_OAUTH_CLIENT_SECRET', 'secret'),
  row('http.oauth_redirects', 'oauthRedirect', 'LECTERN_OAUTH_REDIRECT', 'list'),
  row('http.oauth_access_life', 'oauthAccessLife', 'LECTERN_OAUTH_ACCESS_LIFE', 'text', '1h'),
  row('http.oauth_refresh_life', 'oauthRefreshLife', 'LECTERN_OAUTH_REFRESH_LIFE', 'text', '30d'),
  row('http.oauth_refresh_grace', 'oauthRefreshGrace', 'LECTERN_OAUTH_REFRESH_GRACE', 'number', 30),
  row('http.rate_limit', 'rateLimit', 'LECTERN_RATE_LIMIT', 'number', 600),
];

/** A value of the file by its key; undefined when the file does not have it. */
export function fileValue(values: ConfigValues, key: readonly string[]): unknown {
  let value: unknown = values;
  for (const part of key) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(part);
  }
  return value;
}
