// Loaded into a server by `node --import`: tells how long its main thread was blocked. On SIGUSR2 it
// writes one JSON line to standard error about the time since the signal before, and starts anew.
import { closeSync, openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const STEP_MS = 2;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpuMs = mainThreadCpu();
  let before = cpuMs();
  let longestCpuMs = 0;
  let turns = 0;
  // How long the loop was away, by the clock, includes waiting for a processor that others use. The
  // thread's own processor time between two turns does not: it is what the server's code did.
  const look = () => {
    const now = cpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - before);
    before = now;
  };
  setInterval(() => {
    look();
    turns += 1;
  }, STEP_MS).unref();
  let since = performance.now();
  process.on('SIGUSR2', () => {
    // A turn that was long may have ended just now.
    look();
    const report = {
      probe: 'event-loop',
      overMs: Math.round(performance.now() - since),
      turns,
      longestMs: delay.max / 1e6,
      p99Ms: delay.percentile(99) / 1e6,
      longestCpuMs,
    };
    process.stderr.write(`${JSON.stringify(report)}\n`);
    delay.reset();
    since = performance.now();
    [before, longestCpuMs, turns] = [cpuMs(), 0, 0];
  });
}

/** A clock of this thread's processor time: Linux counts it per thread, elsewhere only the whole process can be asked. */
function mainThreadCpu() {
  const digits = Buffer.alloc(64);
  let file;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    process.on('exit', () => closeSync(file));
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    };
  }
  return () => Number(digits.toString('latin1', 0, readSync(file, digits, 0, 64, 0)).split(' ')[0]) / 1e6;
}
