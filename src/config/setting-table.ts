import { LOG_LEVELS } from './log.ts';

/**
 * What one setting is. Flags, environment, the file's schema, defaults, ranges, help, the reference page,
 * `config show` and what a running server follows are all read from here.
 */
export interface Definition {
  /** As the command line shows it: `--history-days <days>`; `...` where it takes several values. */
  readonly flag?: string;
  /** The environment variable. */
  readonly env: string;
  readonly kind: 'text' | 'list' | 'yes' | 'number' | 'duration' | 'secret';
  /** What it is and its unit, as a clause without a full stop. */
  readonly help: string;
  /** Holds when flag, environment and file say nothing. Durations as they are written: `1h`. */
  readonly default?: string | number | boolean;
  /** Range of a number. */
  readonly min?: number;
  readonly max?: number;
  /** The longest duration. */
  readonly longest?: string;
  /** The only values a text may have. */
  readonly choices?: readonly string[];
  /** A text that names a file or folder of this machine, or a place inside a vault. */
  readonly names?: 'path' | 'vault place';
  /** Which commands take the flag: those of one vault, every server, or the HTTP server alone. */
  readonly on?: 'vault' | 'serve' | 'http';
  /** A running server follows a change at once; otherwise the next start does. */
  readonly live?: true;
  /** What a caller other than the owner may do with it, given the scope for settings. Default: nothing. */
  readonly agent?: 'sets' | 'reads';
}

/**
 * Every setting but the vaults, which have names and rules of their own. In the order of help and pages.
 * What an agent may not read says who may come in, what can be seen and done and what the owner learns of
 * it, or names places that rules hide.
 */
export const SETTINGS = {
  read_only: {
    flag: '--read-only',
    env: 'LECTERN_READ_ONLY',
    kind: 'yes',
    help: 'refuse every write',
    default: false,
    on: 'serve',
    live: true,
    agent: 'reads',
  },
  'paths.read.allow': {
    flag: '--allow-read <glob...>',
    env: 'LECTERN_ALLOW_READ',
    kind: 'list',
    help: 'only these paths can be seen; none given = all',
    on: 'serve',
    live: true,
  },
  'paths.read.deny': {
    flag: '--deny-read <glob...>',
    env: 'LECTERN_DENY_READ',
    kind: 'list',
    help: 'these paths are hidden everywhere, allowed or not',
    on: 'serve',
    live: true,
  },
  'paths.write.allow': {
    flag: '--allow-write <glob...>',
    env: 'LECTERN_ALLOW_WRITE',
    kind: 'list',
    help: 'only these paths can be changed; none given = all that can be seen',
    on: 'serve',
    live: true,
  },
  'paths.write.deny': {
    flag: '--deny-write <glob...>',
    env: 'LECTERN_DENY_WRITE',
    kind: 'list',
    help: 'these paths cannot be changed, allowed or not',
    on: 'serve',
    live: true,
  },
  'tools.allow': {
    flag: '--tools <name...>',
    env: 'LECTERN_TOOLS',
    kind: 'list',
    help: 'only these tools, by name or pattern: note_read "link_*"',
    on: 'serve',
    live: true,
  },
  'tools.deny': {
    flag: '--without-tools <name...>',
    env: 'LECTERN_WITHOUT_TOOLS',
    kind: 'list',
    help: 'all tools but these',
    on: 'serve',
    live: true,
  },
  'tools.sets': {
    flag: '--toolset <name...>',
    env: 'LECTERN_TOOLSET',
    kind: 'list',
    help: 'sets of tools that are listed from the start: core, write, structure, folders, admin, canvas, bases, ai, tasks, attachments, or all; none given = core, write, structure, and ai where ai.provider is set',
    on: 'serve',
    live: true,
  },
  'tools.on': {
    flag: '--tools-on <name...>',
    env: 'LECTERN_TOOLS_ON',
    kind: 'list',
    help: 'tools of other catalogues that are off by default, by their own names: create_note "joplin/*"',
    on: 'serve',
    live: true,
  },
  'tools.off': {
    flag: '--tools-off <name...>',
    env: 'LECTERN_TOOLS_OFF',
    kind: 'list',
    help: 'tools of other catalogues to switch off, by their own names',
    on: 'serve',
    live: true,
  },
  catalogue: {
    flag: '--catalogue <name>',
    env: 'LECTERN_CATALOGUE',
    kind: 'text',
    help: 'the system whose tools are spoken: over standard input and output, and at /mcp',
    default: 'indx',
    on: 'serve',
  },
  'catalogues.allow': {
    flag: '--catalogues <name...>',
    env: 'LECTERN_CATALOGUES',
    kind: 'list',
    help: 'only these are served over HTTP, each at /mcp/<name>; none given = all',
    on: 'http',
    live: true,
  },
  'catalogues.deny': {
    flag: '--without-catalogues <name...>',
    env: 'LECTERN_WITHOUT_CATALOGUES',
    kind: 'list',
    help: 'all catalogues but these',
    on: 'http',
    live: true,
  },
  'prompts.folder': {
    env: 'LECTERN_PROMPTS_FOLDER',
    kind: 'text',
    names: 'vault place',
    help: 'folder of the vault whose notes are prompts',
    default: 'Prompts',
    live: true,
    agent: 'reads',
  },
  'daily_notes.folder': {
    env: 'LECTERN_DAILY_NOTES_FOLDER',
    kind: 'text',
    names: 'vault place',
    help: 'folder of the daily notes, for vaults whose own program has no such setting',
    default: 'Daily',
    live: true,
    agent: 'sets',
  },
  'daily_notes.format': {
    env: 'LECTERN_DAILY_NOTES_FORMAT',
    kind: 'text',
    names: 'vault place',
    help: 'names of the daily notes, e.g. YYYY-MM-DD or YYYY/MM/YYYY-MM-DD',
    default: 'YYYY-MM-DD',
    live: true,
    agent: 'sets',
  },
  embedder: {
    flag: '--embedder <which>',
    env: 'LECTERN_EMBEDDER',
    kind: 'text',
    help: 'what search by meaning uses: local, ollama:<model>[@url], openai:<model>[@url] or model:<name or folder>',
    on: 'serve',
  },
  embedder_key: {
    env: 'LECTERN_EMBEDDER_KEY',
    kind: 'secret',
    help: 'key of an openai: embedder',
  },
  'ai.provider': {
    flag: '--ai-provider <which>',
    env: 'LECTERN_AI_PROVIDER',
    kind: 'text',
    choices: ['none', 'builtin', 'openai-compatible', 'openai', 'anthropic', 'google', 'client'],
    help: 'who answers the ai_* tools: nobody (none), extraction without a model (builtin), the model of the connected client (client), or openai-compatible, openai, anthropic, google',
    default: 'none',
    on: 'serve',
  },
  'ai.model': {
    flag: '--ai-model <name>',
    env: 'LECTERN_AI_MODEL',
    kind: 'text',
    help: 'the model, as its provider names it',
    on: 'serve',
  },
  'ai.base_url': {
    flag: '--ai-url <url>',
    env: 'LECTERN_AI_URL',
    kind: 'text',
    help: 'address of the provider, https or on this machine; for openai-compatible it has to be given, e.g. http://127.0.0.1:11434/v1',
    on: 'serve',
  },
  'ai.allow_hosts': {
    flag: '--ai-allow-host <name...>',
    env: 'LECTERN_AI_ALLOW_HOST',
    kind: 'list',
    help: 'hosts beside this machine that notes may be sent to without encryption',
    on: 'serve',
  },
  'ai.key': {
    env: 'LECTERN_AI_KEY',
    kind: 'secret',
    help: 'key of the provider; a file that holds it must be readable by its owner alone',
  },
  'joplin.url': {
    flag: '--joplin-url <url>',
    env: 'LECTERN_JOPLIN_URL',
    kind: 'text',
    help: 'where Joplin listens, for the vault joplin:; none given = the first of its usual ports that answers',
    on: 'vault',
  },
  'joplin.token': {
    env: 'LECTERN_JOPLIN_TOKEN',
    kind: 'secret',
    help: 'token of Joplin, from its Options > Web Clipper',
  },
  'joplin.token_file': {
    flag: '--joplin-token-file <file>',
    env: 'LECTERN_JOPLIN_TOKEN_FILE',
    kind: 'text',
    names: 'path',
    help: 'file whose first line is that token; none given = the one that lectern joplin pair writes',
    on: 'vault',
  },
  'silverbullet.url': {
    flag: '--silverbullet-url <url>',
    env: 'LECTERN_SILVERBULLET_URL',
    kind: 'text',
    help: 'address of a space of SilverBullet, for the vault silverbullet:, which is served when no vault is named',
    on: 'vault',
  },
  'silverbullet.token': {
    env: 'LECTERN_SILVERBULLET_TOKEN',
    kind: 'secret',
    help: 'SB_AUTH_TOKEN of that server, or user:password to log in with',
  },
  'history.days': {
    flag: '--history-days <days>',
    env: 'LECTERN_HISTORY_DAYS',
    kind: 'number',
    help: 'days that a write can be undone',
    default: 30,
    min: 1,
    max: 36_500,
    on: 'serve',
    agent: 'reads',
  },
  'history.megabytes': {
    flag: '--history-size <MiB>',
    env: 'LECTERN_HISTORY_SIZE',
    kind: 'number',
    help: 'MiB of replaced text that are kept for undo',
    default: 1024,
    min: 1,
    max: 1_048_576,
    on: 'serve',
    agent: 'reads',
  },
  log_level: {
    flag: '--log-level <level>',
    env: 'LECTERN_LOG_LEVEL',
    kind: 'text',
    choices: LOG_LEVELS,
    help: `what is logged to standard error: ${LOG_LEVELS.join(', ')}`,
    default: 'warn',
    on: 'serve',
    agent: 'reads',
  },
  state: {
    flag: '--state <folder>',
    env: 'LECTERN_STATE',
    kind: 'text',
    names: 'path',
    help: 'folder for indexes and journals',
    on: 'vault',
  },
  'http.host': {
    flag: '--host <address>',
    env: 'LECTERN_HOST',
    kind: 'text',
    help: 'address to listen on',
    default: '127.0.0.1',
    on: 'http',
  },
  'http.port': {
    flag: '--port <number>',
    env: 'LECTERN_PORT',
    kind: 'number',
    help: 'port to listen on, a whole number up to 65535; 0 = any that is free',
    default: 7862,
    min: 0,
    max: 65_535,
    on: 'http',
  },
  'http.public_url': {
    flag: '--public-url <url>',
    env: 'LECTERN_PUBLIC_URL',
    kind: 'text',
    help: 'where clients reach the server, e.g. behind a proxy',
    on: 'http',
  },
  'http.token': {
    env: 'LECTERN_HTTP_TOKEN',
    kind: 'secret',
    help: 'a bearer token that may read and write, for servers that are set up by their environment alone',
  },
  'http.oauth': {
    flag: '--oauth',
    env: 'LECTERN_OAUTH',
    kind: 'yes',
    help: 'let programs such as claude.ai ask the owner for access; on when a client is known beforehand',
    default: false,
    on: 'http',
  },
  'http.oauth_client': {
    flag: '--oauth-client <id>',
    env: 'LECTERN_OAUTH_CLIENT',
    kind: 'text',
    help: 'a client known beforehand; its secret in LECTERN_OAUTH_CLIENT_SECRET',
    on: 'http',
  },
  'http.oauth_client_secret': {
    env: 'LECTERN_OAUTH_CLIENT_SECRET',
    kind: 'secret',
    help: 'secret of the client known beforehand',
  },
  'http.oauth_redirects': {
    flag: '--oauth-redirect <url...>',
    env: 'LECTERN_OAUTH_REDIRECT',
    kind: 'list',
    help: 'where that client is answered',
    on: 'http',
  },
  'http.oauth_passphrase': {
    env: 'LECTERN_OAUTH_PASSPHRASE',
    kind: 'secret',
    help: 'the owner’s passphrase, in place of the one that is set in a browser',
  },
  'http.oauth_key': {
    env: 'LECTERN_OAUTH_KEY',
    kind: 'secret',
    help: 'any text; a start with another one than before ends all that OAuth clients were given',
  },
  'http.oauth_access_life': {
    flag: '--oauth-access-life <duration>',
    env: 'LECTERN_OAUTH_ACCESS_LIFE',
    kind: 'duration',
    help: 'how long an access token works: 30m, 1h, 90d',
    default: '1h',
    longest: '365d',
    on: 'http',
  },
  'http.oauth_refresh_life': {
    flag: '--oauth-refresh-life <duration>',
    env: 'LECTERN_OAUTH_REFRESH_LIFE',
    kind: 'duration',
    help: 'how long a refresh token works, from its own issue',
    default: '30d',
    // A grant ends after a year whatever its tokens say.
    longest: '365d',
    on: 'http',
  },
  'http.oauth_refresh_grace': {
    flag: '--oauth-refresh-grace <seconds>',
    env: 'LECTERN_OAUTH_REFRESH_GRACE',
    kind: 'number',
    help: 'seconds in which a client that missed the answer may show a used refresh token again; 0 = never',
    default: 30,
    min: 0,
    max: 300,
    on: 'http',
  },
  'http.allow_hosts': {
    flag: '--allow-host <name...>',
    env: 'LECTERN_ALLOW_HOST',
    kind: 'list',
    help: 'more names this server goes by',
    on: 'http',
  },
  'http.allow_origins': {
    flag: '--allow-origin <origin...>',
    env: 'LECTERN_ALLOW_ORIGIN',
    kind: 'list',
    help: 'web pages that may call it',
    on: 'http',
  },
  'http.trust_proxies': {
    flag: '--trust-proxy <address...>',
    env: 'LECTERN_TRUST_PROXY',
    kind: 'list',
    help: 'proxies whose X-Forwarded-For counts',
    on: 'http',
  },
  'http.tls_cert': {
    flag: '--tls-cert <file>',
    env: 'LECTERN_TLS_CERT',
    kind: 'text',
    names: 'path',
    help: 'certificate chain, PEM',
    on: 'http',
  },
  'http.tls_key': {
    flag: '--tls-key <file>',
    env: 'LECTERN_TLS_KEY',
    kind: 'text',
    names: 'path',
    help: 'private key of the certificate, PEM',
    on: 'http',
  },
  'http.request_limit': {
    flag: '--request-limit <seconds>',
    env: 'LECTERN_REQUEST_LIMIT',
    kind: 'number',
    help: 'seconds a call may take',
    default: 60,
    min: 1,
    max: 3600,
    on: 'http',
    agent: 'reads',
  },
  'http.body_limit': {
    flag: '--body-limit <KiB>',
    env: 'LECTERN_BODY_LIMIT',
    kind: 'number',
    help: 'KiB a request may have',
    default: 4096,
    min: 1,
    max: 65_536,
    on: 'http',
    agent: 'reads',
  },
  'http.session_idle': {
    flag: '--session-idle <minutes>',
    env: 'LECTERN_SESSION_IDLE',
    kind: 'number',
    help: 'minutes after which an unused session ends',
    default: 30,
    min: 1,
    max: 1440,
    on: 'http',
    agent: 'reads',
  },
  'http.rate_limit': {
    flag: '--rate-limit <number>',
    env: 'LECTERN_RATE_LIMIT',
    kind: 'number',
    help: 'requests per minute and token; 0 = no limit',
    default: 600,
    min: 0,
    max: 1_000_000,
    on: 'http',
    agent: 'reads',
  },
} as const satisfies Readonly<Record<string, Definition>>;
