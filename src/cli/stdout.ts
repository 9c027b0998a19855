import type { StdioTransportOptions } from '../mcp/stdio-transport.ts';

/**
 * Takes standard output for the protocol. Whatever else in the process prints to it, a `console.log`
 * in a dependency included, goes to standard error from here on.
 *
 * @returns the only way left to write to standard output
 */
export function claimStdout(): StdioTransportOptions['write'] {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout) as (chunk: string, done: (error?: Error | null) => void) => boolean;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // A client that hung up shows as an error event as well as in the write's callback.
  stdout.on('error', () => {});
  return (chunk, done) => {
    write(chunk, done);
  };
}
