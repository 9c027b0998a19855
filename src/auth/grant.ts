import { LecternError } from '../errors.ts';

/** Access levels. Each includes the ones before it: changing notes requires reading them. */
export const VAULT_SCOPES = ['vault:read', 'vault:write', 'vault:admin'] as const;
export type VaultScope = (typeof VAULT_SCOPES)[number];

/** Allowed and denied names; an empty allow list allows everything. */
export interface NameRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The access given to a client: always a part of what the owner serves. */
export interface Grant {
  readonly scopes: readonly VaultScope[];
  /** Globs of vault paths; a folder includes everything below it. */
  readonly paths: NameRule;
  /** Tool names or patterns (`link_*`). */
  readonly tools: NameRule;
  /** Names of vaults; empty = every vault of the server. */
  readonly vaults: readonly string[];
  /**
   * Names of catalogues: over MCP only these are available, the first of them at `/mcp`; empty = the server's
   * default.
   */
  readonly catalogues: readonly string[];
}

/** The caller of a request with valid credentials. */
export interface Principal {
  /** Unique and permanent: sessions are bound to it. */
  readonly id: string;
  /** The name the owner gave it. */
  readonly name: string;
  readonly kind: 'token' | 'oauth' | 'open';
  readonly grant: Grant;
}

/** Vaults cannot be denied by name: a renamed vault would be allowed. */
const VAULT_NAME = /^vault-name:[^!\p{Cc}][^\p{Cc}]*$/u;

const CATALOGUE = /^catalogue:[a-z][a-z0-9]*$/;

/** The grant of a caller at a door without authentication: everything the owner's settings offer. */
export const EVERYONE: Principal = {
  id: 'open',
  name: 'local',
  kind: 'open',
  grant: {
    scopes: ['vault:read', 'vault:write', 'vault:admin'],
    paths: { allow: [], deny: [] },
    tools: { allow: [], deny: [] },
    vaults: [],
    catalogues: [],
  },
};

/**
 * Reads scope words: `vault:read|write|admin`, `path:<glob>`, `path:!<glob>`, `tool:<name>`, `tool:!<name>`,
 * `vault-name:<name>`, `catalogue:<name>`.
 *
 * @throws LecternError `invalid_input` for a word that is none of these, or when no vault scope is among them
 */
export function parseScopes(words: readonly string[]): Grant {
  const scopes = new Set<VaultScope>();
  const paths = { allow: [] as string[], deny: [] as string[] };
  const tools = { allow: [] as string[], deny: [] as string[] };
  const vaults: string[] = [];
  const catalogues: string[] = [];
  for (const word of words) {
    const known = VAULT_SCOPES.indexOf(word as VaultScope);
    if (known !== -1) for (const scope of VAULT_SCOPES.slice(0, known + 1)) scopes.add(scope);
    else if (VAULT_NAME.test(word)) vaults.push(word.slice('vault-name:'.length));
    else if (CATALOGUE.test(word)) catalogues.push(word.slice('catalogue:'.length));
    else addName(word, { path: paths, tool: tools });
  }
  if (scopes.size === 0) {
    throw new LecternError('invalid_input', 'The scopes name nothing that may be done.', {
      next: `Add one of ${VAULT_SCOPES.join(', ')}.`,
    });
  }
  return { scopes: VAULT_SCOPES.filter((scope) => scopes.has(scope)), paths, tools, vaults, catalogues };
}

function addName(word: string, rules: Record<string, { allow: string[]; deny: string[] }>): void {
  const [, kind = '', not = '', name = ''] = /^(path|tool):(!?)(.+)$/.exec(word) ?? [];
  const rule = rules[kind];
  if (rule === undefined || name.startsWith('!') || /[\p{Cc}]/u.test(name)) {
    throw new LecternError('invalid_input', `Unknown scope ${JSON.stringify(word.slice(0, 100))}.`, {
      next: `Use ${VAULT_SCOPES.join(', ')}, path:<glob>, path:!<glob>, tool:<name>, tool:!<name>, vault-name:<name> or catalogue:<name>.`,
    });
  }
  rule[not === '' ? 'allow' : 'deny'].push(name);
}

/** The shortest scope words from which {@link parseScopes} makes this grant. */
export function scopeWords({ scopes, paths, tools, vaults, catalogues }: Grant): readonly string[] {
  return [
    ...scopes.slice(-1),
    ...paths.allow.map((glob) => `path:${glob}`),
    ...paths.deny.map((glob) => `path:!${glob}`),
    ...tools.allow.map((name) => `tool:${name}`),
    ...tools.deny.map((name) => `tool:!${name}`),
    ...vaults.map((name) => `vault-name:${name}`),
    ...catalogues.map((name) => `catalogue:${name}`),
  ];
}
