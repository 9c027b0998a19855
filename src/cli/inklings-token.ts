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
  /** The token is read from standard input. */
  readonly tokenStdin?: boolean;
}

const NAME = 'inklings';
/** As its app gives to whoever has the token: everything its owner may do with pages, in its own dialect. */
const WORDS = ['vault:write', `catalogue:${NAME}`];
const ASK_LIMIT_MS = 500;

/** Whether clients of Inklings are let in, and where: never the token. */
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

/** The token, to standard output alone. */
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

/** Lets clients of Inklings in, with the token there is, a new one, or the one from standard input. */
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

/** Shuts clients of Inklings out, at once; the token stays for later. */
export async function disableInklings(flags: VaultFlags): Promise<void> {
  await withToken(flags, (kept) => {
    process.stdout.write(kept.disable() ? 'Disabled.\n' : 'It was not enabled.\n');
  });
}

/** A new token, to standard output alone; the old one does not work from here on. */
export async function regenerateInklingsToken(flags: VaultFlags): Promise<void> {
  const grant = await grantFor(flags);
  await withToken(flags, (kept) => process.stdout.write(`${kept.regenerate(grant)}\n`));
}

/** Of several vaults in the file the one that is named; pages are those of one. */
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
