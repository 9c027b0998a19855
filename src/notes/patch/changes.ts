import type { Span } from '../model.ts';
import { applySplices, type Splice } from '../splice.ts';
import type { PatchOpName } from './op.ts';

/** The combined effect of ops on one span of the original note. */
export interface Change extends Span {
  /** The first op that touched this place. */
  readonly op: PatchOpName;
  /** Indices of all ops that touched it. */
  readonly ops: readonly number[];
  /** The current text there. */
  readonly inserted: string;
}

/** Sorts splices and drops those without an effect. Two at the same position keep their order. */
export function effective(text: string, splices: readonly Splice[]): readonly Splice[] {
  return splices
    .filter(({ start, end, insert }) => text.slice(start, end) !== insert)
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * The changes so far, in the coordinates of the original text, while ops work on the current one. Applying
 * `changes` to the original always gives the current text.
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

  /**
   * Applies an op's edit. Linear in the number of changes and new splices.
   * @param splices sorted, disjoint, in the current text's coordinates
   */
  record(splices: readonly Splice[], op: PatchOpName, index: number): void {
    const merged: Change[] = [];
    const changes = this.#changes;
    let [nextChange, nextSplice] = [0, 0];
    // Current minus original offset, at the merge's position.
    let shift = 0;
    for (;;) {
      const change = changes[nextChange];
      const splice = splices[nextSplice];
      if (change === undefined && splice === undefined) break;
      const from = change === undefined ? Number.POSITIVE_INFINITY : change.start + shift;
      const to = change === undefined ? from : from + change.inserted.length;
      if (change !== undefined && (splice === undefined || splice.start >= to)) {
        merged.push(change);
        shift += growth(change);
        nextChange++;
      } else if (splice !== undefined && splice.end <= from) {
        const { start, end, insert } = splice;
        merged.push({ op, ops: [index], start: start - shift, end: end - shift, inserted: insert });
        nextSplice++;
      } else if (splice !== undefined && change !== undefined) {
        // They overlap, so they become one change with all that they touch.
        const start = Math.min(splice.start, from);
        const oldStart = start - shift;
        const ops = new Set([index]);
        const firstSplice = nextSplice;
        let end = start;
        for (let grows = true; grows; ) {
          grows = false;
          for (let one = changes[nextChange]; one !== undefined; one = changes[nextChange]) {
            if (end > start ? one.start + shift >= end : one !== change) break;
            end = Math.max(end, one.start + shift + one.inserted.length);
            shift += growth(one);
            for (const touched of one.ops) ops.add(touched);
            nextChange++;
            grows = true;
          }
          for (let one = splices[nextSplice]; one !== undefined; one = splices[nextSplice]) {
            if (one !== splice && one.start >= end) break;
            end = Math.max(end, one.end);
            nextSplice++;
            grows = true;
          }
        }
        const own = splices.slice(firstSplice, nextSplice);
        const inside = own.map((one) => ({ ...one, start: one.start - start, end: one.end - start }));
        merged.push({
          op: change.op,
          ops: [...ops].sort((a, b) => a - b),
          start: oldStart,
          end: end - shift,
          inserted: applySplices(this.#current.slice(start, end), inside),
        });
      }
    }
    this.#changes = merged;
    this.#current = applySplices(this.#current, splices);
  }

  /** The current offset for one in the original; undefined inside a replaced span. */
  currentOffset(offset: number): number | undefined {
    let shift = 0;
    for (const { start, end, inserted } of this.#changes) {
      if (start > offset) break;
      if (offset < end) return undefined;
      shift += inserted.length - (end - start);
    }
    return offset + shift;
  }
}

function growth({ start, end, inserted }: Change): number {
  return inserted.length - (end - start);
}
