import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../config/log.ts';
import { createMcpServer, type McpServerOptions } from './server.ts';
import { StdioTransport, type StdioTransportOptions } from './stdio-transport.ts';

export interface StdioDoorOptions extends McpServerOptions {
  readonly input: StdioTransportOptions['input'];
  readonly write: StdioTransportOptions['write'];
  /** Called once, when the answer to the handshake has left: the moment for work that may not delay it. */
  readonly onFirstAnswer?: () => void;
}

export interface StdioDoor {
  /** Resolves when the client is gone and everything it asked was answered. */
  readonly finished: Promise<void>;
  /** Takes no more requests, answers those in flight, then ends. */
  stop(): void;
}

/** A call that is not done by then will not be. */
const FINISH_LIMIT_MS = 30_000;

/** Serves one client over two streams, in whichever protocol era it opens with. */
export function serveOverStdio(options: StdioDoorOptions): StdioDoor {
  const { log } = options;
  const transport = new StdioTransport({
    input: options.input,
    write: options.write,
    ...(options.onFirstAnswer !== undefined && { onFirstAnswer: options.onFirstAnswer }),
  });
  const handle = serveStdio(
    ({ era }) => {
      log.debug({ era }, 'client connected');
      return createMcpServer(options);
    },
    { transport, onerror: (error) => reportError(log, error) },
  );
  return { finished: finish(), stop: () => transport.stopReading() };

  async function finish(): Promise<void> {
    await transport.ended;
    if (!(await transport.idle(FINISH_LIMIT_MS))) {
      log.warn({ ms: FINISH_LIMIT_MS }, 'left with requests unanswered');
    }
    await handle.close();
    await transport.idle(1000);
  }
}

/** Only what went wrong: messages of the protocol layer may quote what the client sent. */
function reportError(log: Log, error: Error): void {
  log.debug({ error: error.message.slice(0, 200) }, 'protocol error');
}
