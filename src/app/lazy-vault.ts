import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../config/log.ts';
import type { HistoryLimits, Places, VaultRules, VaultSetting } from '../config/settings.ts';
import type { AccessRules } from '../vault/access.ts';
import type { ConfigurationFor } from '../vault/configuration.ts';
import type { Actor, VaultSession } from '../vault/session.ts';
import type { Vault } from '../vault/vault.ts';
import type { EmbedderChoice } from './open-embedder.ts';
import { checkPlace } from './open-store.ts';
import { inVault } from './vault-problems.ts';

/**
 * Time, ms, a process may take to close its vault. Long, because a thread has to finish its work: exiting
 * earlier would interrupt it inside the database, which aborts the process. A second signal ends the process
 * at once.
 */
export const CLOSE_LIMIT_MS = 60_000;

/** Interval, ms, at which a vault that could not be opened is tried again: a drive may be connected late. */
const RETRY_MS = 2000;

export interface LazyVaultOptions {
  readonly setting: VaultSetting;
  readonly places: Places;
  readonly stateDir: string | undefined;
  readonly log: Log;
  readonly history: HistoryLimits;
  /** Its name among several vaults. */
  readonly name?: string;
  readonly embedder?: EmbedderChoice;
  readonly configuration?: ConfigurationFor;
  /** Called with a vault that was opened. */
  readonly onOpen?: (setting: VaultSetting, vault: Vault) => void;
  /** Called when it was opened after earlier failures. */
  readonly onReturn: () => void;
}

/**
 * A vault that is opened on first use, after the first answer, so that it does not delay the handshake. After
 * a failure it is opened by the next call, or on its own when it becomes available.
 */
export class LazyVault {
  readonly #options: LazyVaultOptions;
  #opened: Promise<Vault> | undefined;
  #rules: VaultRules;
  #places: Places;
  #retry: NodeJS.Timeout | undefined;
  #isMissing = false;
  #closed = false;

  constructor(options: LazyVaultOptions) {
    this.#options = options;
    this.#rules = options.setting.rules;
    this.#places = options.places;
  }

  /** @param narrowing the caller's own rules, in addition to the owner's */
  async session(actor: Actor, narrowing: readonly AccessRules[] = []): Promise<VaultSession> {
    return (await this.#open()).session(actor, narrowing);
  }

  /** Applies the owner's new rules and places, for open sessions too. */
  async setRules(rules: VaultRules, places: Places): Promise<void> {
    this.#rules = rules;
    this.#places = places;
    const opened = await this.#opened?.catch(() => undefined);
    opened?.setRules(this.#rules);
    opened?.setPlaces(this.#places);
  }

  warmUp(): void {
    this.#open().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the vault cannot be opened');
    });
  }

  /** @returns false when closing exceeded the time limit; everything written is safe */
  async close(): Promise<boolean> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const closed = this.#opened
      ?.catch(() => undefined)
      .then((opened) => opened?.close())
      .then(() => true);
    // The timer also keeps the process running; the indexer's thread does not.
    return await Promise.race([closed ?? true, delay(CLOSE_LIMIT_MS, false)]);
  }

  #open(): Promise<Vault> {
    this.#opened ??= this.#load().then(
      (vault) => {
        clearTimeout(this.#retry);
        this.#options.onOpen?.(this.#options.setting, vault);
        if (this.#isMissing) this.#options.onReturn();
        this.#isMissing = false;
        return vault;
      },
      (error: unknown) => {
        this.#opened = undefined;
        this.#isMissing = true;
        this.#tryAgain();
        const { name } = this.#options;
        throw name === undefined ? error : inVault(name, error);
      },
    );
    return this.#opened;
  }

  /** Only checks whether the place exists: an attempt to open would cost work and a log line each time. */
  #tryAgain(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      checkPlace(this.#options.setting)
        .then(() => (this.#closed ? undefined : this.#open()))
        .catch(() => {
          if (this.#opened === undefined) this.#tryAgain();
        });
    }, RETRY_MS);
    this.#retry.unref();
  }

  async #load(): Promise<Vault> {
    const { setting, stateDir, history, log, name, embedder, configuration } = this.#options;
    await checkPlace(setting);
    const { openVault } = await import('./open-vault.ts');
    return await openVault({
      place: setting,
      ...(name !== undefined && { name }),
      rules: this.#rules,
      places: this.#places,
      ...(configuration && { configuration }),
      history,
      log,
      ...(embedder && { embedder }),
      ...(stateDir !== undefined && { stateDir }),
    });
  }
}
