const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal lets what is in flight finish. From then on nobody listens, so that a second one ends the
 * process as it ends any program. Not by `process.exit`: that ends the other threads wherever they are, and one
 * that is inside the database or the native watcher then aborts the process.
 */
export function stopOnSignals(stop: () => void): void {
  const onSignal = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    stop();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}
