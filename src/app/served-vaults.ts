import type { Log } from '../config/log.ts';
import type { ServeSettings } from '../config/settings.ts';
import { LecternError } from '../errors.ts';
import type { ListName } from '../mcp/server.ts';
import type { AccessRules } from '../vault/access.ts';
import type { ConfigurationFor } from '../vault/configuration.ts';
import type { Actor, VaultSession } from '../vault/session.ts';
import { LazyVault, type LazyVaultOptions } from './lazy-vault.ts';
import type { LiveSettings } from './live-settings.ts';
import type { EmbedderChoice } from './open-embedder.ts';

/** The vaults of one server, each with its own state and rules. */
export class ServedVaults {
  readonly names: readonly string[];
  readonly #vaults: ReadonlyMap<string, LazyVault>;
  readonly #listeners = new Set<() => void>();

  constructor(
    { vaults, stateDir, places, history }: ServeSettings,
    log: Log,
    embedder?: EmbedderChoice,
    configuration?: ConfigurationFor,
    onOpen?: LazyVaultOptions['onOpen'],
  ) {
    this.names = vaults.map(({ name }) => name);
    const several = vaults.length > 1;
    this.#vaults = new Map(
      vaults.map((vault) => [
        vault.name,
        new LazyVault({
          setting: vault,
          places,
          stateDir,
          history,
          log,
          onReturn: () => {
            for (const listener of [...this.#listeners]) listener();
          },
          ...(several && { name: vault.name }),
          ...(embedder && { embedder }),
          ...(configuration && { configuration }),
          ...(onOpen && { onOpen }),
        }),
      ]),
    );
  }

  /**
   * @param narrowing the caller's own rules, in addition to the owner's
   * @param name undefined = the first vault
   * @throws LecternError `not_found` for an unknown name
   */
  async session(
    actor: Actor,
    narrowing: readonly AccessRules[] = [],
    name: string | undefined = this.names[0],
  ): Promise<VaultSession> {
    const vault = name === undefined ? undefined : this.#vaults.get(name);
    if (vault !== undefined) return await vault.session(actor, narrowing);
    throw new LecternError('not_found', `There is no vault ${JSON.stringify(name)}.`, {
      next: `Vaults: ${this.names.join(', ')}.`,
    });
  }

  /** Applies the owner's new rules and places. */
  async setRules({ vaults, places }: ServeSettings): Promise<void> {
    await Promise.all(vaults.map(({ name, rules }) => this.#vaults.get(name)?.setRules(rules, places)));
  }

  /**
   * Calls `listener` when a vault that could not be opened becomes available, until the returned function is
   * called.
   */
  onReturn(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  warmUp(): void {
    for (const vault of this.#vaults.values()) vault.warmUp();
  }

  /** @returns false when closing exceeded the time limit */
  async close(): Promise<boolean> {
    const closed = await Promise.all([...this.#vaults.values()].map((vault) => vault.close()));
    return closed.every(Boolean);
  }
}

/** The lists of a server change with its settings, and when a vault becomes available. */
export function listsChanged(
  live: LiveSettings,
  vaults: ServedVaults,
): (tell: (lists: readonly ListName[]) => void) => () => void {
  return (tell) => {
    const stops = [live.onListsChanged(tell), vaults.onReturn(() => tell(['resources', 'prompts']))];
    return () => {
      for (const stop of stops) stop();
    };
  };
}
