import type { Span } from '../model.ts';
import type { Splice } from '../splice.ts';
import type { PatchOpName } from './op.ts';

/** What one or more ops did to one place of the note as it was before the call. */
export interface Change extends Span {
  /** The first op that touched this place. */
  readonly op: PatchOpName;
  /** Indices of all ops that touched it. */
  readonly ops: readonly number[];
  /** What stands there now. */
  readonly inserted: string;
}

/** Sorts splices and drops those that put back what is there. Two at the same place keep their order. */
export function effective(text: string, splices: readonly Splice[]): readonly Splice[] {
  return splices
    .filter(({ start, end, insert }) => text.slice(start, end) !== insert)
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * The changes so far, kept in the coordinates of the original text while ops work on the current one.
 * Applying `changes` to the original always gives the current text.
 */
export class ChangeLog {
  readonly #original: string;
  #current: string;
  /** Sorted, disjoint, in the original's coordinates. */
  #changes: readonly Change[] = [];

  constructor(original: string) {
    this.#original = original;
    this.#current = original;
  }

  get current(): string {
    return this.#current;
  }

  get changes(): readonly Change[] {
    return this.#changes.filter(({ start, end, inserted }) => this.#original.slice(start, end) !== inserted);
  }

  /** @param splices sorted, disjoint, in the current text's coordinates */
  record(splices: readonly Splice[], op: PatchOpName, index: number): void {
    for (const splice of splices.toReversed()) this.#recordOne(splice, op, index);
  }

  /** Where an offset of the original is now; undefined when it lies inside a replaced span. */
  currentOffset(offset: number): number | undefined {
    let shift = 0;
    for (const { start, end, inserted } of this.#changes) {
      if (start > offset) break;
      if (offset < end) return undefined;
      shift += inserted.length - (end - start);
    }
    return offset + shift;
  }

  #recordOne(splice: Splice, op: PatchOpName, index: number): void {
    const before: Change[] = [];
    const after: Change[] = [];
    const ops = new Set([index]);
    let first: Change | undefined;
    // The hull of the splice and the changes it overlaps, in the current text and in the original.
    let { start, end } = splice;
    let shift = 0;
    let oldStart: number | undefined;
    let oldEnd: number | undefined;
    for (const change of this.#changes) {
      const newStart = change.start + shift;
      const newEnd = newStart + change.inserted.length;
      if (splice.start >= newEnd) {
        before.push(change);
        shift += change.inserted.length - (change.end - change.start);
        continue;
      }
      oldStart ??= splice.start - shift;
      if (splice.end <= newStart) {
        oldEnd ??= splice.end - shift;
        after.push(change);
        continue;
      }
      first ??= change;
      for (const one of change.ops) ops.add(one);
      if (newStart < splice.start) {
        oldStart = change.start;
        start = newStart;
      }
      shift += change.inserted.length - (change.end - change.start);
      if (newEnd > splice.end) {
        oldEnd = change.end;
        end = newEnd;
      }
    }
    oldStart ??= splice.start - shift;
    oldEnd ??= splice.end - shift;
    const inserted =
      this.#current.slice(start, splice.start) + splice.insert + this.#current.slice(splice.end, end);
    this.#current = this.#current.slice(0, splice.start) + splice.insert + this.#current.slice(splice.end);
    const merged: Change = {
      op: first?.op ?? op,
      ops: [...ops].sort((a, b) => a - b),
      start: oldStart,
      end: oldEnd,
      inserted,
    };
    this.#changes = [...before, merged, ...after];
  }
}
