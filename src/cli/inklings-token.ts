import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AUTH_FILE } from '../app/state-files.ts';
import { type Grant, parseScopes } from '../auth/grant.ts';
import { KeptToken } from '../auth/tokens/kept-token.ts';
import { isHexToken } from '../auth/tokens/secret.ts';
import { resolveHttpSettings } from '../config/http-settings.ts';
import { loadSettings } from '../config/load.ts';
import { hostInUrl } from '../config/loopback.ts';
import { LecternError } from '../errors.ts';
import { narrowingWords, serverStateFolder, type VaultFlags } from './token.ts';

export interface EnableFlags extends VaultFlags {
  /** Whether the token is read from standard input. */
  readonly tokenStdin?: boolean;
}

const NAME = 'inklings';
/**
 * The scopes of the token: as in Inklings itself, everything its owner may do with pages, in its own catalogue.
 */
const WORDS = ['vault:write', `catalogue:${NAME}`];
const ASK_LIMIT_MS = 500;

/** Prints whether clients of Inklings are admitted, and the address; never the token. */
export async function inklingsStatus(flags: VaultFlags): Promise<void> {
  const { settings, environment } = await loadSettings(flags, process.env);
  const { host, port } = resolveHttpSettings({}, environment);
  const url = `http://${hostInUrl(host)}:${port}`;
  const running = await isRunning(`${url}/health`);
  await withToken(flags, (token) => {
    const { enabled } = token.state();
    const lines = {
      enabled,
      running,
      port,
      url: `${url}/mcp`,
      vaults: settings.vaults.map(({ name }) => name).join(', '),
    };
    for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}: ${value}\n`);
  });
}

/** Prints the token to standard output. @throws LecternError `not_found` when there is none */
export async function showInklingsToken(flags: VaultFlags): Promise<void> {
  await withToken(flags, (kept) => {
    const token = kept.show();
    if (token === undefined) {
      throw new LecternError('not_found', 'There is no token for clients of Inklings yet.', {
        next: 'Make it with lectern inklings enable.',
      });
    }
    process.stdout.write(`${token}\n`);
    if (!kept.state().enabled)
      process.stderr.write('lectern: it is switched off (lectern inklings enable).\n');
  });
}

/**
 * Admits clients of Inklings, with the existing token, a new one, or the one from standard input.
 *
 * @throws LecternError `invalid_input` for a token that is not 64 hexadecimal digits
 */
export async function enableInklings(flags: EnableFlags): Promise<void> {
  const given = flags.tokenStdin === true ? (await text(process.stdin)).trim() : undefined;
  if (given !== undefined && !isHexToken(given)) {
    throw new LecternError('invalid_input', 'A token of Inklings has 64 hexadecimal digits, in lower case.', {
      next: 'Copy it from the configuration of your client.',
    });
  }
  const grant = await grantFor(flags);
  await withToken(flags, (kept) => {
    kept.enable(grant, given);
    process.stdout.write('Enabled. See the token with lectern inklings show.\n');
  });
}

/** Refuses clients of Inklings from now on; the token is kept. */
export async function disableInklings(flags: VaultFlags): Promise<void> {
  await withToken(flags, (kept) => {
    process.stdout.write(kept.disable() ? 'Disabled.\n' : 'It was not enabled.\n');
  });
}

/** Replaces the token and prints the new one to standard output; the old one stops working. */
export async function regenerateInklingsToken(flags: VaultFlags): Promise<void> {
  const grant = await grantFor(flags);
  await withToken(flags, (kept) => process.stdout.write(`${kept.regenerate(grant)}\n`));
}

/** The token's grant, restricted to the vault that `--vault` names among several. */
async function grantFor(flags: VaultFlags): Promise<Grant> {
  const { settings } = await loadSettings(flags, process.env);
  return parseScopes([...WORDS, ...narrowingWords(flags, settings)]);
}

async function withToken(flags: VaultFlags, work: (token: KeptToken) => void): Promise<void> {
  const kept = new KeptToken(join(await serverStateFolder(flags), AUTH_FILE), NAME);
  try {
    work(kept);
  } finally {
    kept.close();
  }
}

async function isRunning(health: string): Promise<boolean> {
  try {
    return (await fetch(health, { signal: AbortSignal.timeout(ASK_LIMIT_MS) })).ok;
  } catch {
    return false;
  }
}
