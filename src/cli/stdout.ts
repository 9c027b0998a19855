import type { StdioTransportOptions } from '../mcp/stdio-transport.ts';

/**
 * Reserves standard output for the protocol. Other output of the process, such as a `console.log` in a
 * dependency, is redirected to standard error.
 *
 * @returns the only remaining function that writes to standard output
 */
export function claimStdout(): StdioTransportOptions['write'] {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout) as (chunk: string, done: (error?: Error | null) => void) => boolean;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // A closed connection emits an error event in addition to the write's callback.
  stdout.on('error', () => {});
  return (chunk, done) => {
    write(chunk, done);
  };
}
