import { spawn } from '@lydell/node-pty';

export interface Shown {
  /** Everything that was written, control sequences included. */
  readonly raw: string;
  /** Lines without control sequences. */
  readonly lines: readonly string[];
  readonly code: number;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Longest that it may take, ms. */
  readonly limitMs?: number;
  /** Typed as soon as the program has written what is waited for. */
  readonly type?: readonly { readonly after: RegExp; readonly keys: string }[];
}

/** A program that does not end is killed; indexing thousands of notes takes minutes on a busy machine. */
const LIMIT_MS = 300_000;
/**
 * Runs the program, says how it ended and stays: when a terminal's last process has left, what it wrote last is
 * lost to a reader that was busy for a fifth of a second.
 */
const STAYING = `trap : INT; "$0" "$@"; printf '\\036%s\\n' $?; read -r _`;
const ENDED = /\u001e(\d+)\r?\n/;

/** Runs a program in a pseudo-terminal, as a person would see it. */
export function inTerminal(
  file: string,
  args: readonly string[],
  { columns = 80, env = {}, cwd = process.cwd(), limitMs = LIMIT_MS, type = [] }: TerminalOptions = {},
): Promise<Shown> {
  const { promise, resolve, reject } = withResolvers<Shown>();
  const terminal = spawn('sh', ['-c', STAYING, file, ...args], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows: 40,
    cwd,
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', ...env },
  });
  let raw = '';
  let seen = 0;
  const steps = [...type];
  const timer = setTimeout(() => {
    terminal.kill();
    reject(new Error(`The program does not end. It wrote: ${raw}`));
  }, limitMs);
  terminal.onData((data) => {
    raw += data;
    for (let step = steps[0]; step?.after.test(raw.slice(seen)) === true; step = steps[0]) {
      seen = raw.length;
      steps.shift();
      terminal.write(step.keys);
    }
    const ended = ENDED.exec(raw);
    if (ended === null) return;
    clearTimeout(timer);
    terminal.kill();
    raw = raw.slice(0, ended.index);
    resolve({ raw, lines: plain(raw).split('\n'), code: Number(ended[1]) });
  });
  return promise;
}

/** As the lines of a terminal read: no control sequences, and of a line written over what was written last. */
export function plain(raw: string): string {
  return raw
    .replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
    .replace(/\u001b[()=>][A-Z0-9]?/g, '')
    .replace(/\r\n/g, '\n')
    .replace(/^.*\r/gm, '');
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((good, bad) => {
    resolve = good;
    reject = bad;
  });
  return { promise, resolve, reject };
}
