import { expect } from 'vitest';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { isLecternError } from '../../src/errors.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { runOperation } from '../../src/operations/call/run.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { VaultSession } from '../../src/vault/session.ts';

/** One call: the operation's name and what it is asked. */
export type Question = readonly [operation: string, input: Readonly<Record<string, unknown>>];

/** All that one call answers: the facts, the summary and the text below it, or the error. */
export async function ask(session: VaultSession, [name, input]: Question): Promise<unknown> {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`There is no operation ${name}.`);
  const progress: unknown[] = [];
  const context = {
    signal: new AbortController().signal,
    // How many there are, not when which of them is done.
    progress: (_: number, total: number | undefined) => progress.push(total),
    assistants: () => EXTRACTIVE,
  };
  try {
    const given = parseInput(operation, input);
    const output = await runOperation(operation, session, given, context);
    const progressed = [...new Set(progress)];
    return {
      output,
      summary: operation.summarise(output, given),
      text: operation.render(output, given),
      progressed,
    };
  } catch (error) {
    if (!isLecternError(error)) throw error;
    return { code: error.code, message: error.message, details: error.details, next: error.next };
  }
}

/**
 * What is arbitrary, taken out of one world's answers: numbers and names that are given out by chance become the
 * first, second, … of their kind; times, places of the test's folders and opaque cursors become words.
 */
export class Arbitrary {
  readonly #order = new Map<string, number>();
  /** Scores with the time they were taken: recency moves the last digits. */
  #scores: number[] = [];

  plain(value: unknown): { readonly facts: unknown; readonly scores: readonly number[] } {
    this.#scores = [];
    return { facts: this.#walk(value, ''), scores: this.#scores };
  }

  #walk(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#walk(each, key));
    if (typeof value === 'number') return this.#number(value, key);
    if (typeof value === 'string') return this.#string(value, key);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#walk(each, name)]));
  }

  #number(value: number, key: string): unknown {
    if (key === 'score') return this.#scores.push(value) && 'score';
    if (key === 'ms') return 'ms';
    return NUMBERED.has(key) ? this.#nth('write', value) : value;
  }

  #string(value: string, key: string): string {
    if (key === 'location') return 'a folder';
    if (key === 'next_cursor' || key === 'cursor' || key === 'nextCursor') return 'a cursor';
    if (/^[{[]"/.test(value)) return JSON.stringify(this.#walk(JSON.parse(value), ''));
    return value
      .replace(/cursor=[\w%-]{40,}/g, 'cursor=…')
      .replace(/\.trash\/(\d+)\//g, (_, number) => `.trash/${this.#nth('trash', number)}/`)
      .replace(/\b[Ww]rite (\d+)/g, (_, number) => `write ${this.#nth('write', number)}`)
      .replace(/\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?/g, 'a time')
      .replace(/^(\d+) a time/gm, (_, number) => `${this.#nth('write', number)} a time`)
      .replace(/cursor [\w-]{2,}/g, 'a cursor')
      .replace(/\((0?\.\d+|1)([;)])/g, '(score$2')
      .replace(/\b0\.\d{2,}\b/g, 'score')
      .replace(/ in \d+ ms/g, ' in some ms')
      .replace(/location: \S+/, 'location');
  }

  #nth(kind: string, value: unknown): string {
    const id = `${kind} ${value}`;
    if (!this.#order.has(id)) this.#order.set(id, this.#order.size + 1);
    return `#${this.#order.get(id)}`;
  }
}

const NUMBERED: ReadonlySet<string> = new Set(['write_id', 'undone', 'undoes']);

/** Says that two answers are the same, but for what is arbitrary in each. */
export function expectSame(
  [one, ofOne]: readonly [unknown, Arbitrary],
  [other, ofOther]: readonly [unknown, Arbitrary],
  what: string,
): void {
  const first = ofOne.plain(one);
  const second = ofOther.plain(other);
  expect(first.facts, what).toEqual(second.facts);
  expect(first.scores.length, what).toBe(second.scores.length);
  for (const [at, score] of first.scores.entries())
    expect(Math.abs(score - (second.scores[at] ?? 0)), what).toBeLessThan(2e-6);
}
