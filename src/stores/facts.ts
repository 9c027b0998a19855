import type { FactChanges, NoteFacts } from './store.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Facts after a change; null removes one. */
export function withFacts(facts: NoteFacts | undefined, changes: FactChanges): NoteFacts {
  const all = Object.entries({ ...facts, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined));
}

/** The reverse of a change: restores the previous facts, null for those that were absent. */
export function factsBefore(facts: NoteFacts | undefined, changes: FactChanges): FactChanges {
  const names = Object.keys(changes) as (keyof NoteFacts)[];
  return Object.fromEntries(names.map((name) => [name, facts?.[name] ?? null]));
}

/** A change in the journal's format: JSON, UTF-8. */
export function factsAsBytes(changes: FactChanges): Uint8Array {
  return encoder.encode(JSON.stringify(changes));
}

export function factsFromBytes(bytes: Uint8Array): FactChanges {
  return JSON.parse(decoder.decode(bytes)) as FactChanges;
}
