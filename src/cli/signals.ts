const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `stop` on the first signal, so that open work can finish. The handlers are then removed, so that a
 * second signal ends the process at once. `process.exit` is not used: it ends other threads at any point, and
 * one inside the database or the native watcher would abort the process.
 */
export function stopOnSignals(stop: () => void): void {
  const onSignal = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    stop();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}
