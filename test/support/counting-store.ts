import type { Store } from '../../src/stores/store.ts';

/** How often each method of a store was called. */
export type StoreCalls = Record<string, number>;

/** A store that counts, and forgets what it counted when `calls` is emptied. */
export function countingStore(store: Store, calls: StoreCalls): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]) => {
        calls[String(name)] = (calls[String(name)] ?? 0) + 1;
        return Reflect.apply(value, target, parameters);
      };
    },
  });
}
