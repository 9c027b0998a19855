import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { NoteFacts, Placement, Store } from '../../stores/store.ts';

interface Held {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Facts the store keeps beside the bytes; undefined for files the plan created. */
  readonly facts?: NoteFacts | undefined;
}

/**
 * The store with planned changes applied on top, so that a plan of many steps can be checked before the first
 * one runs.
 */
export class VirtualVault {
  readonly #store: Store;
  readonly #held = new Map<string, Held | undefined>();
  /** Newest last. */
  readonly #moves: { from: string; to: string }[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  async bytes(path: string): Promise<Held | undefined> {
    if (this.#held.has(path)) return this.#held.get(path);
    const real = this.#realPath(path);
    const entry = real === undefined ? undefined : await this.#store.stat(real);
    const file = entry && entry.path === real ? await this.#store.read(entry.path) : undefined;
    const held = file && { bytes: file.bytes, etag: etagOfFile(file), facts: file.entry.facts };
    this.#held.set(path, held);
    return held;
  }

  /** A file, or a folder that contains something. */
  async exists(path: string): Promise<boolean> {
    if (await this.bytes(path)) return true;
    for (const [held, content] of this.#held) if (content && held.startsWith(`${path}/`)) return true;
    const real = this.#realPath(path);
    if (real === undefined) return false;
    const { entries } = await this.#store.list(real);
    return entries.some((entry) => {
      if (!entry.path.startsWith(`${real}/`)) return false;
      const planned = this.#plannedPath(entry.path);
      const isRemoved = this.#held.has(planned) && this.#held.get(planned) === undefined;
      return !isRemoved && planned.startsWith(`${path}/`);
    });
  }

  /** The path a file would get; the requested one where the plan itself moves its folder. */
  async placeFor(path: string): Promise<Placement> {
    if (this.#realPath(path) !== path) return { path, madeFolder: undefined };
    return this.#store.placeFor(path);
  }

  put(path: string, held: Held): void {
    this.#held.set(path, held);
  }

  remove(path: string): void {
    this.#held.set(path, undefined);
  }

  move(from: string, to: string): void {
    if (from === to) return;
    this.#moves.push({ from, to });
    // The path is no longer free.
    for (const path of [...this.#held.keys()])
      if (rebase(path, to, to) !== undefined) this.#held.delete(path);
    for (const [path, held] of [...this.#held]) {
      const moved = rebase(path, from, to);
      if (moved === undefined) continue;
      this.#held.delete(path);
      this.#held.set(moved, held);
    }
  }

  /** The path to which the plan moves a file of the store. */
  #plannedPath(real: string): string {
    return this.#moves.reduce((path, { from, to }) => rebase(path, from, to) ?? path, real);
  }

  /** The current path of the bytes that the plan would move to `path`; undefined when the plan moved them away. */
  #realPath(path: string): string | undefined {
    let real = path;
    for (const { from, to } of [...this.#moves].reverse()) {
      const back = rebase(real, to, from);
      if (back !== undefined) real = back;
      else if (rebase(real, from, from) !== undefined) return undefined;
    }
    return real;
  }
}

/** `path` with its prefix `from` replaced, or undefined when it is not below `from`. */
function rebase(path: string, from: string, to: string): string | undefined {
  if (path === from) return to;
  return path.startsWith(`${from}/`) ? to + path.slice(from.length) : undefined;
}
