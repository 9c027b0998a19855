/**
 * Waits for work as long as a signal is not aborted. The work itself is not stopped by that.
 * @throws the signal's reason when it is aborted first
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * The same object for work that may be stopped: no method begins once the signal is aborted, and what one promises
 * is waited for no longer than that.
 */
export function stoppable<Part extends object>(part: Part, signal: AbortSignal): Part {
  const methods = new Map<PropertyKey, unknown>();
  return new Proxy(part, {
    get(target, key) {
      const known = methods.get(key);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const method = (...given: unknown[]): unknown => {
        signal.throwIfAborted();
        const result: unknown = value.apply(target, given);
        if (result instanceof Promise) {
          const waited = untilAborted(result, signal);
          // Of several begun together the second may not begin any more: nobody gets to wait for the first then.
          waited.catch(() => {});
          return waited;
        }
        return isAsyncIterable(result) ? eachUntilAborted(result, signal) : result;
      };
      methods.set(key, method);
      return method;
    },
  });
}

async function* eachUntilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not waited for: what hangs would hold up the end.
    void iterator.return?.().catch(() => {});
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
