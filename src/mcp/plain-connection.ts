import type { Transport } from '@modelcontextprotocol/server';
import { PlainServer } from './plain-server.ts';
import type { McpServerOptions } from './server.ts';

/** Serves one connection of a catalogue with a dispatcher of its own, each message as it comes. */
export function servePlainly(transport: Transport, options: McpServerOptions): { close(): Promise<void> } {
  const server = new PlainServer(options);
  const { signal } = new AbortController();
  transport.onmessage = (message) => {
    server
      .answer(message, signal)
      .then((answer) => {
        // The transport takes batches apart and puts their answers together again.
        if (answer !== undefined) return transport.send(answer as Parameters<Transport['send']>[0]);
      })
      .catch((error: unknown) => options.log.debug({ error: String(error) }, 'an answer was not sent'));
  };
  transport.onclose = () => server.close();
  void transport.start();
  return { close: () => transport.close() };
}
