import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../config/log.ts';
import { isLecternError } from '../errors.ts';
import { type Listening, observeListening } from './listening.ts';
import { createMcpConnection, type McpServerOptions } from './server.ts';
import type { Subscriptions } from './subscriptions.ts';

/**
 * Serves one connection in the protocol era of its first message. This module imports the protocol layer, so
 * the server loads it after the handshake.
 */
export function serveConnection(transport: Transport, options: McpServerOptions): { close(): Promise<void> } {
  const { log, identity } = options;
  if (!identity.protocol.stateless) return serveHandshaken(transport, options);
  let subscriptions: Subscriptions | undefined;
  const observed = observeListening(transport, {
    opened: subscribe,
    closed: (id) => subscriptions?.close(id),
  });

  async function subscribe({ id, resources, lists, client = 'unnamed client' }: Listening): Promise<void> {
    const report = (error: unknown) =>
      log.warn({ error: isLecternError(error) ? error.message : String(error) }, 'cannot subscribe');
    try {
      if (lists) await subscriptions?.watchLists(client);
      // The acknowledgement has no field for errors of single URIs.
      if (resources.length > 0) await subscriptions?.open(id, resources, client, report);
    } catch (error) {
      report(error);
    }
  }

  return serveStdio(
    ({ era }) => {
      log.debug({ era }, 'client connected');
      const connection = createMcpConnection(options, era === 'modern' ? observed.tell : undefined);
      subscriptions = connection.subscriptions;
      return connection.server;
    },
    { transport: observed.transport, onerror: (error) => reportError(log, error) },
  );
}

/** A connection that must open with `initialize`. */
function serveHandshaken(transport: Transport, options: McpServerOptions): { close(): Promise<void> } {
  const { log } = options;
  const { server } = createMcpConnection(options);
  server.onerror = (error) => reportError(log, error);
  server.connect(transport).catch((error: unknown) => log.error({ err: error }, 'the connection failed'));
  return server;
}

/** Only the error's text, shortened: messages of the protocol layer may quote what the client sent. */
function reportError(log: Log, error: Error): void {
  log.debug({ error: error.message.slice(0, 200) }, 'protocol error');
}
