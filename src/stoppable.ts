/**
 * Waits for work until a signal aborts. The work itself is not stopped.
 * @throws the signal's reason when it aborts first
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
 * The same object for stoppable work: no method begins once the signal is aborted, and returned promises are
 * awaited no longer than that.
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
          // Of several calls started together a later one may throw here: then nobody awaits the earlier
          // promise.
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
    // Not awaited: a hanging iterator would block the end.
    void iterator.return?.().catch(() => {});
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
