import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../config/log.ts';
import { createMcpServer, type McpServerOptions } from './server.ts';

/**
 * Serves one connection in whichever protocol era it opens with. This module brings the protocol
 * layer with it, which is why the door loads it after the handshake.
 */
export function serveConnection(transport: Transport, options: McpServerOptions): { close(): Promise<void> } {
  const { log } = options;
  return serveStdio(
    ({ era }) => {
      log.debug({ era }, 'client connected');
      return createMcpServer(options);
    },
    { transport, onerror: (error) => reportError(log, error) },
  );
}

/** Only what went wrong, cut short: messages of the protocol layer may quote what the client sent. */
function reportError(log: Log, error: Error): void {
  log.debug({ error: error.message.slice(0, 200) }, 'protocol error');
}
