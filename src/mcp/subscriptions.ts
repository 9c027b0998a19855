import type { ResourceSource } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import { isLecternError, LecternError } from '../errors.ts';
import type { VaultChange } from '../vault/events.ts';
import type { VaultSession } from '../vault/session.ts';
import { ChangeWindow, type NetChange } from './change-window.ts';
import type { ResourceTarget } from './resource-uri.ts';
import { type ResourceWatch, watchFile, watchGlob, watchProjection, watchSource } from './resource-watch.ts';

/** Identifies a subscription to the door that opened it: the URI, or the id of the request that stays open. */
export type SubscriptionId = string | number;

/** The target of a subscription: a vault's resource, or a resource of a catalogue. */
export type SubscriptionTarget =
  | ResourceTarget
  | { readonly kind: 'other'; readonly source: ResourceSource; readonly vault?: undefined };

export interface SubscriptionsOptions {
  readonly vault: (client: string, name?: string) => Promise<VaultSession>;
  /** Names of the vaults; undefined when there is only one. */
  readonly vaults: () => Promise<readonly string[] | undefined>;
  /** The target of a URI. Rejects with `forbidden` when the caller may not see such a resource. */
  readonly target: (uri: string) => Promise<SubscriptionTarget>;
  /** A fingerprint of a projection's content, equal for equal content. */
  readonly fingerprint: (uri: string, target: ResourceTarget, vault: VaultSession) => Promise<string>;
  /** Sends a change of the resource at `uri`: the subscribed one, or one that a pattern matches. */
  readonly updated: (id: SubscriptionId, uri: string) => Promise<void>;
  /** The client gets all subscriptions in one stream: a change that matches two of them is sent once. */
  readonly shared: boolean;
  /** Files were created or removed, or the owner's prompts changed. */
  readonly listChanged: (list: 'resources' | 'prompts') => Promise<void>;
  /** Whether a note at this path of the vault is a prompt. */
  readonly isPrompt: (path: string, vault: VaultSession) => boolean;
  readonly log: Log;
}

const MAX_SUBSCRIPTIONS = 1000;
/** Notifications sent before other work gets a turn. */
const SLICE = 250;
const LIST_DELAY_MS = 500;

/** A vault as named in URIs; undefined = the only one, or the first. */
type VaultKey = string | undefined;

interface Subscription {
  readonly watches: (ResourceWatch & { readonly vault: VaultKey })[];
  /** Subscriptions whose vault is not available yet. */
  readonly waiting: { readonly uri: string; readonly client: string }[];
  closed: boolean;
}

/**
 * The subscriptions of one connection. Changes are collected for a short window, then each is sent once: none
 * is lost, however many arrive at once, and unchanged content is not reported.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #open = new Map<SubscriptionId, Subscription>();
  readonly #vaults = new Map<VaultKey, Promise<VaultSession>>();
  readonly #stops: (() => void)[] = [];
  #queue: Promise<void> = Promise.resolve();
  #listsAsked = false;
  #listTimer: NodeJS.Timeout | undefined;
  /** What was sent in the present window, so that a change is sent once. */
  readonly #sent = new Set<string>();
  readonly #listsDue = new Set<'resources' | 'prompts'>();
  #closed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Subscribes to URIs under one id; resolves when every later change will be reported.
   *
   * @param onFailure if given, called for each URI that cannot be subscribed, and the others are subscribed
   *   all the same. URIs of a vault that is away are subscribed when {@link resume} finds it
   * @throws LecternError `invalid_path` for an invalid URI, `forbidden` for a resource that is not offered,
   *   `too_large` for more than 1000 subscriptions
   */
  async open(
    id: SubscriptionId,
    uris: readonly string[],
    client: string,
    onFailure?: (error: unknown) => void,
  ): Promise<void> {
    const count = [...this.#open.values()].reduce((sum, { watches }) => sum + watches.length, 0);
    if (count + uris.length > MAX_SUBSCRIPTIONS) {
      throw new LecternError('too_large', `A connection has at most ${MAX_SUBSCRIPTIONS} subscriptions.`, {
        next: 'Subscribe to a pattern such as vault://Projects/** instead of single notes.',
      });
    }
    const subscription: Subscription = { watches: [], waiting: [], closed: false };
    this.close(id);
    this.#open.set(id, subscription);
    for (const uri of uris) {
      try {
        await this.#follow(uri, id, subscription, client);
      } catch (error) {
        if (onFailure === undefined) {
          this.close(id);
          throw error;
        }
        onFailure(error);
        if (isUnavailable(error)) subscription.waiting.push({ uri, client });
      }
    }
  }

  /** Tries again the subscriptions whose vault was away. */
  async resume(): Promise<void> {
    for (const [id, subscription] of [...this.#open]) {
      for (const { uri, client } of subscription.waiting.splice(0)) {
        try {
          const target = await this.#follow(uri, id, subscription, client);
          if (target.kind !== 'glob' && !subscription.closed) this.#send(this.#options.updated(id, uri));
        } catch (error) {
          if (isUnavailable(error)) subscription.waiting.push({ uri, client });
        }
      }
    }
  }

  async #follow(
    uri: string,
    id: SubscriptionId,
    subscription: Subscription,
    client: string,
  ): Promise<SubscriptionTarget> {
    const tell = async (changed: string): Promise<void> => {
      if (!subscription.closed) await this.#options.updated(id, changed);
    };
    const tellOnce = async (changed: string): Promise<void> => {
      const key = this.#options.shared ? changed : `${typeof id} ${id} ${changed}`;
      if (this.#sent.has(key)) return;
      this.#sent.add(key);
      await tell(changed);
    };
    const target = await this.#options.target(uri);
    const watch =
      target.kind === 'other'
        ? watchSource(target.source, uri, () => this.#send(tell(uri)))
        : await this.#watch(uri, target, await this.#attach(client, target.vault), { tell, tellOnce });
    if (subscription.closed) watch.stop();
    else subscription.watches.push({ ...watch, vault: target.vault });
    return target;
  }

  async #watch(
    uri: string,
    target: ResourceTarget,
    vault: VaultSession,
    { tell, tellOnce }: Record<'tell' | 'tellOnce', (uri: string) => Promise<void>>,
  ): Promise<ResourceWatch> {
    const { fingerprint, log } = this.#options;
    switch (target.kind) {
      case 'glob':
        return watchGlob(target, vault, tellOnce);
      case 'file':
        return await watchFile(uri, target.path, vault, tellOnce);
      default:
        return await watchProjection(uri, () => fingerprint(uri, target, vault), tell, log);
    }
  }

  /** Ends the subscriptions of this id. */
  close(id: SubscriptionId): void {
    const subscription = this.#open.get(id);
    if (subscription === undefined) return;
    subscription.closed = true;
    for (const watch of subscription.watches) watch.stop();
    this.#open.delete(id);
  }

  /** The client has read a list, so it is notified when that list changes. A vault that is away is added later. */
  async watchLists(client: string): Promise<void> {
    const names = await this.#options.vaults();
    if (names === undefined) await this.#attach(client, undefined);
    else await Promise.allSettled([undefined, ...names.slice(1)].map((name) => this.#attach(client, name)));
    this.#listsAsked = true;
  }

  /** Ends everything; the connection is closed. */
  end(): void {
    this.#closed = true;
    for (const id of [...this.#open.keys()]) this.close(id);
    for (const stop of this.#stops.splice(0)) stop();
    clearTimeout(this.#listTimer);
  }

  #attach(client: string, name: VaultKey): Promise<VaultSession> {
    const known = this.#vaults.get(name);
    if (known !== undefined) return known;
    const attaching = this.#options.vault(client, name).then((vault) => {
      if (!this.#closed) this.#stops.push(this.#listenTo(vault, name));
      return vault;
    });
    this.#vaults.set(name, attaching);
    attaching.catch(() => this.#vaults.delete(name));
    return attaching;
  }

  /** @returns a function that ends it */
  #listenTo(vault: VaultSession, name: VaultKey): () => void {
    const window = new ChangeWindow((changes) => this.#deliver(name, changes));
    const stop = vault.watch((changes) => {
      if (this.#listsAsked) this.#noteLists(vault, changes);
      if (this.#open.size > 0) window.add(changes, vault.staleness() !== undefined);
    });
    return () => {
      stop();
      window.stop();
    };
  }

  #noteLists(vault: VaultSession, changes: readonly VaultChange[]): void {
    for (const { kind, path } of changes) {
      if (kind !== 'modified') this.#listsDue.add('resources');
      if (this.#options.isPrompt(path, vault)) this.#listsDue.add('prompts');
    }
    if (this.#listsDue.size === 0) return;
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      for (const list of this.#listsDue) this.#send(this.#options.listChanged(list));
      this.#listsDue.clear();
    }, LIST_DELAY_MS);
  }

  /** One window after the other, so that a client gets changes in order. */
  #deliver(name: VaultKey, changes: readonly NetChange[]): void {
    this.#queue = this.#queue
      .then(() => this.#tell(name, changes))
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'a subscription failed');
      });
  }

  async #tell(name: VaultKey, changes: readonly NetChange[]): Promise<void> {
    this.#sent.clear();
    const each = (work: (watch: ResourceWatch) => void): void => {
      for (const { watches } of [...this.#open.values()])
        for (const watch of watches) if (watch.vault === name) work(watch);
    };
    each((watch) => watch.begin?.());
    let sinceTurn = 0;
    for (const change of changes) {
      each((watch) => this.#send(watch.change(change)));
      if (++sinceTurn % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A closed connection is handled by the connection itself. */
  #send(sending: Promise<void> | void): void {
    sending?.catch((error: unknown) =>
      this.#options.log.debug({ err: error }, 'a notification was not sent'),
    );
  }
}

function isUnavailable(error: unknown): boolean {
  return isLecternError(error) && error.code === 'unavailable';
}
