import type { FactChanges, NoteFacts } from './store.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Facts after a change; null takes one away. */
export function withFacts(facts: NoteFacts | undefined, changes: FactChanges): NoteFacts {
  const all = Object.entries({ ...facts, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined));
}

/** The change that gives facts back what they were before another change: null where they had nothing. */
export function factsBefore(facts: NoteFacts | undefined, changes: FactChanges): FactChanges {
  const names = Object.keys(changes) as (keyof NoteFacts)[];
  return Object.fromEntries(names.map((name) => [name, facts?.[name] ?? null]));
}

/** A change as a journal keeps it: JSON, UTF-8. */
export function factsAsBytes(changes: FactChanges): Uint8Array {
  return encoder.encode(JSON.stringify(changes));
}

export function factsFromBytes(bytes: Uint8Array): FactChanges {
  return JSON.parse(decoder.decode(bytes)) as FactChanges;
}
