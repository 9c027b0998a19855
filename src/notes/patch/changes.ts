import type { Span } from '../model.ts';
import type { PatchOpName } from './op.ts';

/** One replacement in a text: the span goes, `text` comes. Empty span = insertion. */
export interface Replacement extends Span {
  readonly text: string;
}

/** What one or more ops did to one place of the note as it was before the call. */
export interface Change extends Span {
  /** The first op that touched this place. */
  readonly op: PatchOpName;
  /** Indices of all ops that touched it. */
  readonly ops: readonly number[];
  /** What stands there now. */
  readonly inserted: string;
}

/** Applies replacements that are sorted and do not overlap. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text: inserted } of replacements) {
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}

/** Sorts replacements and drops those that put back what is there. Two at the same place keep their order. */
export function effective(text: string, replacements: readonly Replacement[]): readonly Replacement[] {
  return replacements
    .filter(({ start, end, text: inserted }) => text.slice(start, end) !== inserted)
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

  /** @param replacements sorted, disjoint, in the current text's coordinates */
  record(replacements: readonly Replacement[], op: PatchOpName, index: number): void {
    for (const replacement of replacements.toReversed()) this.#recordOne(replacement, op, index);
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

  #recordOne(replacement: Replacement, op: PatchOpName, index: number): void {
    const before: Change[] = [];
    const after: Change[] = [];
    const ops = new Set([index]);
    let first: Change | undefined;
    // The hull of the replacement and the changes it overlaps, in the current text and in the original.
    let { start, end } = replacement;
    let shift = 0;
    let oldStart: number | undefined;
    let oldEnd: number | undefined;
    for (const change of this.#changes) {
      const newStart = change.start + shift;
      const newEnd = newStart + change.inserted.length;
      if (replacement.start >= newEnd) {
        before.push(change);
        shift += change.inserted.length - (change.end - change.start);
        continue;
      }
      oldStart ??= replacement.start - shift;
      if (replacement.end <= newStart) {
        oldEnd ??= replacement.end - shift;
        after.push(change);
        continue;
      }
      first ??= change;
      for (const one of change.ops) ops.add(one);
      if (newStart < replacement.start) {
        oldStart = change.start;
        start = newStart;
      }
      shift += change.inserted.length - (change.end - change.start);
      if (newEnd > replacement.end) {
        oldEnd = change.end;
        end = newEnd;
      }
    }
    oldStart ??= replacement.start - shift;
    oldEnd ??= replacement.end - shift;
    const inserted =
      this.#current.slice(start, replacement.start) +
      replacement.text +
      this.#current.slice(replacement.end, end);
    this.#current =
      this.#current.slice(0, replacement.start) + replacement.text + this.#current.slice(replacement.end);
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
