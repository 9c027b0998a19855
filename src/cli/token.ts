import { join } from 'node:path';
import { checkPlace } from '../app/open-store.ts';
import { AUTH_FILE } from '../app/state-files.ts';
import { stateFolderOf } from '../app/state-of.ts';
import { type Grant, parseScopes, scopeWords } from '../auth/grant.ts';
import { type TokenRecord, TokenStore } from '../auth/tokens/token-store.ts';
import { catalogueNamed } from '../catalogues/list.ts';
import { vaultNamed } from '../catalogues/several-vaults.ts';
import { loadSettings } from '../config/load.ts';
import { durationMs } from '../config/setting-values.ts';
import { type ServeFlags, type ServeSettings, serverVault } from '../config/settings.ts';
import { isSamePlace } from '../config/store-place.ts';
import { LecternError } from '../errors.ts';
import { offered } from '../operations/offer.ts';
import { OPERATIONS } from '../operations/registry.ts';

/** The flags that select a vault. */
export type VaultFlags = Pick<ServeFlags, 'vault' | 'state' | 'config'>;

export interface TokenCreateFlags extends VaultFlags {
  readonly name: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
}

/**
 * Creates a token and prints it to standard output, so that it can be piped; a description goes to standard
 * error.
 */
export async function createToken(flags: TokenCreateFlags): Promise<void> {
  const { settings } = await loadSettings(flags, process.env);
  const grant = checkedGrant(
    [...(flags.scope ?? ['vault:read']), ...narrowingWords(flags, settings)],
    settings,
  );
  const expires = expiry(flags.expires ?? '90d', Date.now());
  await withTokens(flags, (tokens) => {
    const { token, record } = tokens.create({ name: flags.name, grant, expires });
    process.stdout.write(`${token}\n`);
    process.stderr.write(
      `lectern: token ${JSON.stringify(record.name)} (${record.id}): ${scopeWords(grant).join(' ')}, ${until(record)}.\n` +
        'lectern: it is not shown again. Clients send it as "Authorization: Bearer <token>".\n',
    );
  });
}

/** Prints all tokens, including expired and revoked ones, newest first. */
export async function listTokens(flags: VaultFlags): Promise<void> {
  await withTokens(flags, (tokens) => {
    const rows = tokens.list().map((record) => tokenRow(record, Date.now()));
    process.stdout.write(rows.length === 0 ? 'No tokens.\n' : `${rows.join('\n')}\n`);
  });
}

/** Revokes a token at once and permanently. */
export async function revokeToken(idOrName: string, flags: VaultFlags): Promise<void> {
  await withTokens(flags, (tokens) => {
    const { id, name } = tokens.revoke(idOrName);
    process.stdout.write(`Revoked ${JSON.stringify(name)} (${id}).\n`);
  });
}

/**
 * Parses an expiry: a time from now (`90d`, `12h`), a date, or `never`.
 *
 * @param now milliseconds since the epoch
 * @returns milliseconds since the epoch; undefined = never
 * @throws LecternError `invalid_input` for any other text and for a time in the past
 */
export function expiry(text: string, now: number): number | undefined {
  if (text === 'never') return undefined;
  const fromNow = durationMs(text);
  const isDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const time = fromNow !== undefined ? now + fromNow : isDate ? Date.parse(text) : Number.NaN;
  if (time > now) return time;
  throw new LecternError('invalid_input', `A token cannot expire at ${JSON.stringify(text)}.`, {
    next: 'Give hours or days from now (12h, 90d), a date to come (2030-01-31), or never.',
  });
}

/**
 * Parses a grant. It refuses unknown tools and vaults, with which the grant would differ from what was
 * intended.
 */
function checkedGrant(words: readonly string[], { vaults, known }: ServeSettings): Grant {
  const grant = parseScopes(words);
  offered(OPERATIONS, { scopes: grant.scopes, ...grant.tools });
  const names = [...new Set([...known, ...vaults].map(({ name }) => name))];
  for (const name of grant.vaults) vaultNamed(names, name);
  for (const name of grant.catalogues) catalogueNamed(name);
  return grant;
}

/** Scopes that restrict a token to the vaults of `--vault` when the configuration file has more. */
export function narrowingWords(
  { vault = [] }: VaultFlags,
  { vaults, known }: ServeSettings,
): readonly string[] {
  const areKnown = vaults.every((vault) => known.some((each) => isSamePlace(each, vault)));
  if (vault.length === 0 || !areKnown || vaults.length === known.length) return [];
  return vaults.map(({ name }) => `vault-name:${name}`);
}

async function withTokens(flags: VaultFlags, work: (tokens: TokenStore) => void): Promise<void> {
  const tokens = new TokenStore(join(await serverStateFolder(flags), AUTH_FILE));
  try {
    work(tokens);
  } finally {
    tokens.close();
  }
}

/** The state folder of the server of these vaults; it is created when missing. */
export async function serverStateFolder(flags: VaultFlags): Promise<string> {
  const { settings } = await loadSettings(flags, process.env);
  const vault = serverVault(settings);
  // A single vault is checked, so that a typing error creates no state folder; one of several may be
  // unreachable.
  if (settings.known.length < 2) await checkPlace(vault);
  return await stateFolderOf(vault, settings.stateDir);
}

function tokenRow(record: TokenRecord, now: number): string {
  const used = record.lastUsed === undefined ? 'never used' : `used ${minute(record.lastUsed)}`;
  const state =
    record.revoked !== undefined
      ? `revoked ${minute(record.revoked)}`
      : record.expires !== undefined && record.expires <= now
        ? `expired ${minute(record.expires)}`
        : until(record);
  return [record.id, record.name, scopeWords(record.grant).join(' '), state, used].join('  ');
}

function until({ expires }: TokenRecord): string {
  return expires === undefined ? 'never expires' : `expires ${minute(expires)}`;
}

/** A time (ms since the epoch) in UTC, to the minute: `2026-11-29T10:05Z`. */
export function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`;
}
