import { randomUUID } from 'node:crypto';
import type { StoreChange, StoreChanges } from './store.ts';

/** Number of changes kept; an older cursor requires a full listing. */
const KEPT = 20_000;
/** A larger batch is recorded as one rescan of everything. */
const MANY = 2_000;

/** The changes of a store on a server, as paths, retrieved by cursor. A cursor is valid while the store is open. */
export class ChangeLog {
  readonly #name = randomUUID();
  #known: Map<string, { readonly path: string; readonly version: string }> | undefined;
  #changes: StoreChange[] = [];
  /** Number of changes dropped from the start. */
  #dropped = 0;

  /** Compares the current items with the previous ones and records the differences. */
  compare(now: Iterable<readonly [id: string, path: string, version: string]>): void {
    const before = this.#known;
    const known = new Map<string, { path: string; version: string }>();
    const removed: StoreChange[] = [];
    const changed: StoreChange[] = [];
    for (const [id, path, version] of now) {
      known.set(id, { path, version });
      const old = before?.get(id);
      if (old?.path === path && old.version === version) continue;
      if (old !== undefined && old.path !== path) removed.push({ kind: 'removed', path: old.path });
      changed.push({ kind: 'changed', path });
    }
    this.#known = known;
    if (before === undefined) return;
    for (const [id, { path }] of before) if (!known.has(id)) removed.push({ kind: 'removed', path });
    // A path that one item left and another took still exists.
    const taken = new Set(changed.map(({ path }) => path));
    const all = [...removed.filter(({ path }) => !taken.has(path)), ...changed];
    this.#add(all.length > MANY ? [{ kind: 'rescan', path: '' }] : all);
  }

  /** One item that is new or was changed. No other item may have the path that it had before. */
  note(id: string, path: string, version: string): void {
    if (this.#known === undefined) return;
    const old = this.#known.get(id);
    if (old?.path === path && old.version === version) return;
    this.#known.set(id, { path, version });
    if (old !== undefined && old.path !== path) this.#add([{ kind: 'removed', path: old.path }]);
    this.#add([{ kind: 'changed', path }]);
  }

  /** An item that no longer exists. */
  gone(id: string): void {
    const path = this.#known?.get(id)?.path;
    this.#known?.delete(id);
    if (path !== undefined) this.#add([{ kind: 'removed', path }]);
  }

  /** Everything is to be listed again: something changed that no path tells of. */
  rescan(): void {
    if (this.#known !== undefined) this.#add([{ kind: 'rescan', path: '' }]);
  }

  #add(changes: readonly StoreChange[]): void {
    this.#changes.push(...changes);
    const surplus = this.#changes.length - KEPT;
    if (surplus > 0) {
      this.#changes.splice(0, surplus);
      this.#dropped += surplus;
    }
  }

  get cursor(): string {
    return `${this.#name}:${this.#dropped + this.#changes.length}`;
  }

  /** @returns undefined for a cursor of an earlier store */
  since(cursor: string): StoreChanges | undefined {
    const at = cursor.startsWith(`${this.#name}:`) ? Number(cursor.slice(this.#name.length + 1)) : Number.NaN;
    const from = at - this.#dropped;
    if (!(from >= 0 && from <= this.#changes.length)) return undefined;
    return { changes: this.#changes.slice(from), cursor: this.cursor };
  }
}
