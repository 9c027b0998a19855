import { PassThrough } from 'node:stream';
import type { CatalogueEntry } from '../../src/catalogues/list.ts';
import { mounted } from '../../src/catalogues/mounted.ts';
import { serveOverStdio } from '../../src/mcp/stdio.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { VaultSession } from '../../src/vault/session.ts';

/** A pair of pipes with the stdio door of a catalogue at the other end, as a transport of the SDK's clients. */
export async function overPipes(
  entry: CatalogueEntry,
  session: VaultSession,
): Promise<Record<string, unknown>> {
  const input = new PassThrough();
  const transport: Record<string, unknown> = {
    start: async () => {},
    send: async (message: unknown) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      input.end();
      await served.finished;
      (transport.onclose as (() => void) | undefined)?.();
    },
  };
  const served = serveOverStdio({
    identity: await entry.identity(),
    version: '1',
    catalogue: async () => mounted(await entry.load(), { operations: OPERATIONS }),
    vault: async () => session,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    input,
    write: (chunk, done) => {
      (transport.onmessage as (message: unknown) => void)(JSON.parse(chunk));
      done();
    },
  });
  return transport;
}
