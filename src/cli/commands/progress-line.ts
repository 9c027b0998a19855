/** Work that is done sooner is not worth a line. */
const SHOW_AFTER_MS = 300;
const EVERY_MS = 100;

export interface ProgressLine {
  readonly report: (done: number, total: number | undefined) => void;
  /** Takes the line away. */
  end(): void;
}

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** One line that tells how far long work is, how fast it goes and how long it will take; nothing when piped. */
export function progressLine(
  what: string,
  terminal: Terminal,
  now: () => number = () => performance.now(),
): ProgressLine {
  const started = now();
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    report(done, total) {
      const time = now();
      if (terminal.isTTY !== true || time - started < SHOW_AFTER_MS || time - last < EVERY_MS) return;
      // What is over before anything was shown needs no showing.
      if (!shown && done === total) return;
      last = time;
      shown = true;
      terminal.write(`\r\u001b[K${progressText(what, { done, total, ms: time - started })}`);
    },
    end() {
      if (shown) terminal.write('\r\u001b[K');
    },
  };
}

/** `Indexing 1200/20000 (6 %), 3200/s, 6 s left` */
export function progressText(
  what: string,
  { done, total, ms }: { done: number; total: number | undefined; ms: number },
): string {
  const rate = ms > 0 ? (done / ms) * 1000 : 0;
  const speed = rate >= 1 ? `, ${Math.round(rate)}/s` : '';
  if (total === undefined || total <= 0) return `${what} ${done}${speed}`;
  const percent = Math.floor((done / total) * 100);
  const left = rate > 0 && done < total ? `, ${duration((total - done) / rate)} left` : '';
  return `${what} ${done}/${total} (${percent} %)${speed}${left}`;
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
