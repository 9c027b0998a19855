import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { CLIENT_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from '../is-record.ts';
import type { RpcId } from './json-rpc.ts';
import { cancelledId } from './json-rpc.ts';

/** Limit for opening a vault, ms: a slower vault must not block the connection. */
const BASELINE_LIMIT_MS = 2000;

/** A `subscriptions/listen` request, as accepted by the protocol layer. */
export interface Listening {
  readonly id: RpcId;
  readonly resources: readonly string[];
  readonly lists: boolean;
  readonly client: string | undefined;
}

export interface ListenObserver {
  /** Awaited before the acknowledgement is sent, so that no later change is missed; with a time limit. */
  opened(listening: Listening): Promise<void>;
  closed(id: RpcId): void;
}

/**
 * Wraps the transport and observes its messages. The protocol layer does not expose subscriptions of the
 * stateless revision and passes on notifications only for exactly the subscribed URIs, while a pattern
 * matches other URIs. So acknowledgements are observed here, and notifications are sent under the same id.
 */
export function observeListening(
  inner: Transport,
  observer: ListenObserver,
): { transport: Transport; tell(id: RpcId, uri: string): Promise<void> } {
  const clients = new Map<RpcId, string>();
  /** Resolves when the acknowledgement was sent: no notification may precede it. */
  const open = new Map<RpcId, Promise<void>>();
  const close = (id: RpcId) => {
    clients.delete(id);
    if (open.delete(id)) observer.closed(id);
  };
  const observed: Transport = {
    start: () => {
      inner.onmessage = (message, extra) => {
        const cancelled = cancelledId(message);
        if (cancelled !== undefined) close(cancelled);
        if ('method' in message && message.method === 'subscriptions/listen' && 'id' in message) {
          const name = clientNameIn(message);
          if (name !== undefined) clients.set(message.id, name);
        }
        observed.onmessage?.(message, extra);
      };
      inner.onclose = () => observed.onclose?.();
      inner.onerror = (error) => observed.onerror?.(error);
      return inner.start();
    },
    send: async (message, options) => {
      const listening = acknowledged(message);
      if (!('method' in message) && 'id' in message && message.id !== undefined) close(message.id);
      if (listening === undefined) return await inner.send(message, options);
      const { id } = listening;
      const acknowledgement = (async () => {
        const baseline = observer.opened({ ...listening, client: clients.get(id) });
        await Promise.race([baseline, delay(BASELINE_LIMIT_MS, undefined, { ref: false })]);
        await inner.send(message, options);
      })();
      open.set(id, acknowledgement);
      await acknowledgement;
    },
    close: () => inner.close(),
  };
  return {
    transport: observed,
    async tell(id, uri) {
      await open.get(id);
      if (open.has(id)) await inner.send(updatedUnder(id, uri));
    },
  };
}

/** The notification for one subscription of the stateless revision. */
function updatedUnder(id: RpcId, uri: string): JSONRPCMessage {
  return {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } },
  };
}

function acknowledged(message: JSONRPCMessage): Omit<Listening, 'client'> | undefined {
  if (!('method' in message) || message.method !== 'notifications/subscriptions/acknowledged')
    return undefined;
  const id: unknown = message.params?._meta?.[SUBSCRIPTION_ID_META_KEY];
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const filter = isRecord(message.params?.notifications) ? message.params.notifications : {};
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  return {
    id,
    resources: uris.filter((uri) => typeof uri === 'string'),
    lists: filter.resourcesListChanged === true || filter.promptsListChanged === true,
  };
}

function clientNameIn(message: JSONRPCMessage): string | undefined {
  if (!('params' in message)) return undefined;
  const info: unknown = message.params?._meta?.[CLIENT_INFO_META_KEY];
  return isRecord(info) && typeof info.name === 'string' ? info.name : undefined;
}
