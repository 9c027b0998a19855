/** The first signal lets calls in flight finish, a second one does not wait for them. */
export function stopOnSignals(stop: () => void): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => {
      process.on(signal, () => process.exit(code));
      stop();
    });
  }
}
