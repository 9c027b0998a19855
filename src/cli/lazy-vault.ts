import { setTimeout } from 'node:timers/promises';
import type { Log } from '../config/log.ts';
import type { VaultRules, VaultSetting } from '../config/settings.ts';
import type { AccessRules } from '../vault/access.ts';
import type { Actor, VaultSession } from '../vault/session.ts';
import type { Vault } from '../vault/vault.ts';
import type { EmbedderChoice } from './open-embedder.ts';
import { checkVaultFolder } from './vault-folder.ts';

/** How long a process may linger to close its vault, ms. */
export const CLOSE_LIMIT_MS = 10_000;

/**
 * The vault, opened when it is first needed: no earlier than the first answer, so that nothing of
 * it stands in the handshake's way, and again after a failure, so that a drive may be connected late.
 */
export class LazyVault {
  #opened: Promise<Vault> | undefined;
  #rules: VaultRules;

  constructor(
    private readonly setting: VaultSetting,
    private readonly stateDir: string | undefined,
    private readonly log: Log,
    /** What it is called among several. */
    private readonly name?: string,
    private readonly embedder?: EmbedderChoice,
  ) {
    this.#rules = setting.rules;
  }

  /** @param narrowing the caller's own rules, on top of the owner's */
  async session(actor: Actor, narrowing: readonly AccessRules[] = []): Promise<VaultSession> {
    return (await this.#open()).session(actor, narrowing);
  }

  /** Puts the owner's new rules into force, for sessions that are open too. */
  async setRules(rules: VaultRules): Promise<void> {
    this.#rules = rules;
    const opened = await this.#opened?.catch(() => undefined);
    opened?.setRules(this.#rules);
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

  #open(): Promise<Vault> {
    this.#opened ??= this.#load().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #load(): Promise<Vault> {
    const { folder } = this.setting;
    await checkVaultFolder(folder);
    const { openVault } = await import('./open-vault.ts');
    return await openVault({
      folder,
      ...(this.name !== undefined && { name: this.name }),
      rules: this.#rules,
      log: this.log,
      ...(this.embedder && { embedder: this.embedder }),
      ...(this.stateDir !== undefined && { stateDir: this.stateDir }),
    });
  }
}
