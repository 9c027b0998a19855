import { handshakeResult } from './handshake.ts';
import type { McpServerOptions } from './server.ts';
import { StdioTransport, type StdioTransportOptions } from './stdio-transport.ts';

export interface StdioDoorOptions extends McpServerOptions {
  readonly input: StdioTransportOptions['input'];
  readonly write: StdioTransportOptions['write'];
  /** Called once, after the first answer was written: the time for work that must not delay it. */
  readonly onFirstAnswer?: () => void;
}

export interface StdioDoor {
  /** Resolves when the client has disconnected and all its requests were answered. */
  readonly finished: Promise<void>;
  /** Takes no more requests, answers those in progress, then ends. */
  stop(): void;
}

/** Limit for the calls in progress at the end, ms. */
const FINISH_LIMIT_MS = 30_000;

/**
 * Serves one client over two streams, in the protocol era of its first message. It listens at once and
 * answers the handshake itself; the protocol layer is loaded behind that answer and takes over.
 */
export function serveOverStdio(options: StdioDoorOptions): StdioDoor {
  const { identity, version, log } = options;
  const transport = new StdioTransport({
    input: options.input,
    write: options.write,
    firstAnswer: (message) => handshakeResult(message, identity, version),
  });
  transport.listen();
  const connection = transport.heard.then(async () => {
    if (identity.protocol.plain !== undefined) {
      const { servePlainly } = await import('./plain-connection.ts');
      return servePlainly(transport, options);
    }
    const { serveConnection } = await import('./connection.ts');
    return serveConnection(transport, options);
  });
  Promise.all([connection, transport.answered]).then(
    () => options.onFirstAnswer?.(),
    () => {},
  );
  return { finished: finish(), stop: () => transport.stopReading() };

  async function finish(): Promise<void> {
    await Promise.race([transport.ended, connection]);
    await transport.ended;
    if (!(await transport.idle(FINISH_LIMIT_MS))) {
      log.warn({ ms: FINISH_LIMIT_MS }, 'left with requests unanswered');
    }
    if (transport.hasHeard) await (await connection).close();
    else await transport.close();
    await transport.idle(1000);
  }
}
