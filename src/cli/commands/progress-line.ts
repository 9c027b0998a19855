/** Shorter work shows no line, ms. */
const SHOW_AFTER_MS = 300;
const EVERY_MS = 100;

export interface ProgressLine {
  readonly report: (done: number, total: number | undefined) => void;
  /** Erases the line. */
  end(): void;
}

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A line on a terminal with the progress, speed and remaining time of long work; nothing when piped. */
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
      // Work that ends before the line was shown does not show it.
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

/** The text of the line: `Indexing 1200/20000 (6 %), 3200/s, 6 s left`; `ms` is the elapsed time. */
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
