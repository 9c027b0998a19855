import type { Transport } from '@modelcontextprotocol/server';
import { PlainServer } from './plain-server.ts';
import type { McpServerOptions } from './server.ts';

/** Serves one connection of a catalogue that has its own dispatcher, message by message. */
export function servePlainly(transport: Transport, options: McpServerOptions): { close(): Promise<void> } {
  const server = new PlainServer(options);
  const { signal } = new AbortController();
  transport.onmessage = (message) => {
    server
      .answer(message, signal)
      .then((answer) => {
        // The transport splits batches and joins their answers.
        if (answer !== undefined) return transport.send(answer as Parameters<Transport['send']>[0]);
      })
      .catch((error: unknown) => options.log.debug({ error: String(error) }, 'an answer was not sent'));
  };
  transport.onclose = () => server.close();
  void transport.start();
  return { close: () => transport.close() };
}
