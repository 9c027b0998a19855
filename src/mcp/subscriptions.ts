import type { Log } from '../config/log.ts';
import { LecternError } from '../errors.ts';
import type { VaultChange } from '../vault/events.ts';
import type { VaultSession } from '../vault/session.ts';
import { ChangeWindow, type NetChange } from './change-window.ts';
import { fileUri, parseResourceUri, type ResourceTarget } from './resource-uri.ts';
import { type ResourceWatch, watchFile, watchGlob, watchProjection } from './resource-watch.ts';

/** Names a subscription to the door that opened it: the URI, or the id of the request that stays open. */
export type SubscriptionId = string | number;

export interface SubscriptionsOptions {
  readonly vault: (client: string) => Promise<VaultSession>;
  /** Rejects with `forbidden` when the caller may not look at such a resource. */
  readonly assertOffered: (kind: ResourceTarget['kind']) => Promise<void>;
  /** Equal for equal content of a resource that is no file. */
  readonly fingerprint: (uri: string, vault: VaultSession) => Promise<string>;
  /** The resource at `uri` changed: the one subscribed to, or one its pattern names. */
  readonly updated: (id: SubscriptionId, uri: string) => Promise<void>;
  /** The client hears of all its subscriptions in one stream: what two of them name is told once. */
  readonly shared: boolean;
  /** Files came or went, or the owner's prompts changed. */
  readonly listChanged: (list: 'resources' | 'prompts') => Promise<void>;
  /** Tells the paths that are prompts. */
  readonly isPrompt: (path: string) => boolean;
  readonly log: Log;
}

const MAX_SUBSCRIPTIONS = 1000;
/** Notifications sent before other work gets a turn. */
const SLICE = 250;
const LIST_DELAY_MS = 500;

interface Subscription {
  readonly watches: ResourceWatch[];
  closed: boolean;
}

/**
 * What one connection wants to hear of. Changes are collected for a moment, then told once each:
 * none is lost, however many come at once, and what is as it was before is not told.
 */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #open = new Map<SubscriptionId, Subscription>();
  readonly #window = new ChangeWindow((changes) => this.#deliver(changes));
  #attaching: Promise<VaultSession> | undefined;
  #stopWatching: (() => void) | undefined;
  #queue: Promise<void> = Promise.resolve();
  #listsAsked = false;
  #listTimer: NodeJS.Timeout | undefined;
  /** Told of the changes at hand. */
  readonly #told = new Set<string>();
  readonly #listsDue = new Set<'resources' | 'prompts'>();
  #closed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Subscribes to URIs under one id; resolves when every later change will be told.
   *
   * @throws LecternError `invalid_path` for what is no resource, `forbidden` for what is not offered, `too_large` for more than 1000 subscriptions
   */
  async open(id: SubscriptionId, uris: readonly string[], client: string): Promise<void> {
    const targets = uris.map((uri) => ({ uri, target: parseResourceUri(uri) }));
    for (const { target } of targets) await this.#options.assertOffered(target.kind);
    const count = [...this.#open.values()].reduce((sum, { watches }) => sum + watches.length, 0);
    if (count + uris.length > MAX_SUBSCRIPTIONS) {
      throw new LecternError('too_large', `A connection has at most ${MAX_SUBSCRIPTIONS} subscriptions.`, {
        next: 'Subscribe to a pattern such as vault://Projects/** instead of single notes.',
      });
    }
    const subscription: Subscription = { watches: [], closed: false };
    this.close(id);
    this.#open.set(id, subscription);
    try {
      const vault = await this.#attach(client);
      const tell = async (uri: string): Promise<void> => {
        if (!subscription.closed) await this.#options.updated(id, uri);
      };
      const tellOnce = async (uri: string): Promise<void> => {
        const key = this.#options.shared ? uri : `${typeof id} ${id} ${uri}`;
        if (this.#told.has(key)) return;
        this.#told.add(key);
        await tell(uri);
      };
      for (const { uri, target } of targets) {
        if (target.kind === 'glob') {
          subscription.watches.push(watchGlob(target.pattern, vault, tellOnce));
        } else if (target.kind === 'file') {
          subscription.watches.push(await watchFile(uri, target.path, vault, tellOnce));
        } else {
          const read = () => this.#options.fingerprint(uri, vault);
          subscription.watches.push(await watchProjection(uri, read, tell, this.#options.log));
        }
      }
    } catch (error) {
      this.close(id);
      throw error;
    }
  }

  /** Nothing is told under this id from here on. */
  close(id: SubscriptionId): void {
    const subscription = this.#open.get(id);
    if (subscription === undefined) return;
    subscription.closed = true;
    for (const watch of subscription.watches) watch.stop();
    this.#open.delete(id);
  }

  /** The client has seen a list, so it hears when that list changes. */
  async watchLists(client: string): Promise<void> {
    await this.#attach(client);
    this.#listsAsked = true;
  }

  /** Ends everything; the connection is gone. */
  end(): void {
    this.#closed = true;
    for (const id of [...this.#open.keys()]) this.close(id);
    this.#stopWatching?.();
    this.#window.stop();
    clearTimeout(this.#listTimer);
  }

  async #attach(client: string): Promise<VaultSession> {
    this.#attaching ??= this.#options.vault(client).then((vault) => {
      if (!this.#closed) this.#stopWatching = vault.watch((changes) => this.#hear(vault, changes));
      return vault;
    });
    this.#attaching.catch(() => {
      this.#attaching = undefined;
    });
    return await this.#attaching;
  }

  #hear(vault: VaultSession, changes: readonly VaultChange[]): void {
    if (this.#listsAsked) this.#noteLists(changes);
    if (this.#open.size > 0) this.#window.add(changes, vault.staleness() !== undefined);
  }

  #noteLists(changes: readonly VaultChange[]): void {
    for (const { kind, path } of changes) {
      if (kind !== 'modified') this.#listsDue.add('resources');
      if (this.#options.isPrompt(path)) this.#listsDue.add('prompts');
    }
    if (this.#listsDue.size === 0) return;
    this.#listTimer ??= setTimeout(() => {
      this.#listTimer = undefined;
      for (const list of this.#listsDue) this.#send(this.#options.listChanged(list));
      this.#listsDue.clear();
    }, LIST_DELAY_MS);
  }

  /** One window after the other, so that a client hears of changes in their order. */
  #deliver(changes: readonly NetChange[]): void {
    this.#queue = this.#queue
      .then(() => this.#tell(changes))
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'a subscription failed');
      });
  }

  async #tell(changes: readonly NetChange[]): Promise<void> {
    this.#told.clear();
    for (const { watches } of [...this.#open.values()]) for (const watch of watches) watch.begin?.();
    let sinceTurn = 0;
    for (const change of changes) {
      const uri = fileUri(change.path);
      for (const { watches } of [...this.#open.values()]) {
        for (const watch of watches) this.#send(watch.change(change, uri));
      }
      if (++sinceTurn % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A client that is gone is the connection's business. */
  #send(sending: Promise<void> | void): void {
    sending?.catch((error: unknown) =>
      this.#options.log.debug({ err: error }, 'a notification was not sent'),
    );
  }
}
