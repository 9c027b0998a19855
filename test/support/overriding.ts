import type { Store } from '../../src/stores/store.ts';

/** The store with some methods of its own. */
export function overriding(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A gate that whoever comes waits at, from when it is shut until it is opened. */
export class Gate {
  #open: () => void = () => {};
  #opened: Promise<void> = Promise.resolve();
  #come: () => void = () => {};
  /** Resolves when somebody stands before the shut gate. */
  reached: Promise<void> = Promise.resolve();

  shut(): void {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.reached = new Promise((resolve) => {
      this.#come = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  async pass(): Promise<void> {
    this.#come();
    await this.#opened;
  }
}

/** An index that is being built for as long as the gate is shut: its indexer waits there before it lists the store. */
export function heldListing(): { gate: Gate; wrapIndexed: (store: Store) => Store } {
  const gate = new Gate();
  gate.shut();
  const wrapIndexed = (store: Store): Store =>
    overriding(store, {
      list: async (...given) => {
        await gate.pass();
        return await store.list(...given);
      },
    });
  return { gate, wrapIndexed };
}
