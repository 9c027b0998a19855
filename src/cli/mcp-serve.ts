import { setTimeout } from 'node:timers/promises';
import { indxIdentity } from '../catalogues/indx/identity.ts';
import { createLog, type Log } from '../config/log.ts';
import { resolveSettings, type ServeFlags, type ServeSettings } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { isLecternError } from '../errors.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import type { Actor, VaultSession } from '../vault/session.ts';
import { claimStdout } from './stdout.ts';
import { checkVaultFolder } from './vault-folder.ts';

const CLOSE_LIMIT_MS = 10_000;

/** Serves one MCP client over standard input and output until it hangs up, then leaves with code 0. */
export async function serveMcp(flags: ServeFlags): Promise<void> {
  const settings = resolveSettings(flags, process.env);
  // A mistyped rule must not leave a tool switched on: it stops the start.
  if (settings.tools.allow.length + settings.tools.deny.length > 0) await offered(settings);
  const write = claimStdout();
  const log = createLog(settings.logLevel);
  const vault = new LazyVault(settings, log);
  const door = serveOverStdio({
    identity: indxIdentity,
    version: VERSION,
    catalogue: () => offered(settings),
    vault: (actor) => vault.session(actor),
    log,
    input: process.stdin,
    write,
    onFirstAnswer: () => vault.warmUp(),
  });
  stopOnSignals(door.stop);
  announce(settings);
  await door.finished;
  if (!(await vault.close())) log.warn({ ms: CLOSE_LIMIT_MS }, 'left before the vault was closed');
  await log.flush();
  process.exit(0);
}

/** The native catalogue, as far as the owner's settings offer it. */
async function offered({ readOnly, tools }: ServeSettings) {
  const { indxCatalogue } = await import('../catalogues/indx/catalogue.ts');
  const { offeredTools } = await import('../catalogues/policy.ts');
  return offeredTools(indxCatalogue, {
    scopes: readOnly ? ['vault:read'] : ['vault:read', 'vault:write'],
    ...tools,
  });
}

interface OpenVault {
  session(actor: Actor): VaultSession;
  close(): Promise<void>;
}

/**
 * The vault, opened when it is first needed: no earlier than the first answer, so that nothing of
 * it stands in the handshake's way, and again after a failure, so that a drive may be connected late.
 */
class LazyVault {
  #opened: Promise<OpenVault> | undefined;

  constructor(
    private readonly settings: ServeSettings,
    private readonly log: Log,
  ) {}

  async session(actor: Actor): Promise<VaultSession> {
    return (await this.#open()).session(actor);
  }

  warmUp(): void {
    this.#open().catch((error: unknown) => {
      this.log.error({ err: error }, 'the vault cannot be opened');
    });
  }

  /** @returns false when closing took longer than a process may linger; everything written is safe all the same */
  async close(): Promise<boolean> {
    const closed = this.#opened
      ?.catch(() => undefined)
      .then((opened) => opened?.close())
      .then(() => true);
    // The timer also keeps the process alive meanwhile: the indexer's thread does not.
    return await Promise.race([closed ?? true, setTimeout(CLOSE_LIMIT_MS, false)]);
  }

  #open(): Promise<OpenVault> {
    this.#opened ??= this.#load().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #load(): Promise<OpenVault> {
    const { vault: folder, stateDir, readOnly, paths } = this.settings;
    await checkVaultFolder(folder);
    const { openVault } = await import('./open-vault.ts');
    return await openVault({
      folder,
      rules: { readOnly, ...paths },
      log: this.log,
      ...(stateDir !== undefined && { stateDir }),
    });
  }
}

/** The first signal lets calls in flight finish, a second one does not wait for them. */
function stopOnSignals(stop: () => void): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      process.on(signal, () => process.exit(code));
      stop();
    });
  }
}

/** Tells a person at the terminal what a client would find out with its first call. */
function announce(settings: ServeSettings): void {
  checkVaultFolder(settings.vault).catch((error: unknown) => {
    const text = isLecternError(error) ? `${error.message} ${error.next ?? ''}` : String(error);
    process.stderr.write(`lectern: ${text.trim()}\n`);
  });
  if (process.stdin.isTTY) {
    process.stderr.write(
      `lectern: serving ${settings.vault} to an MCP client on standard input (Ctrl+D ends it).\n`,
    );
  }
}
