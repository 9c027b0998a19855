import { fromProperty } from '../../formats/bases/values/from-property.ts';
import { typeOf } from '../../formats/bases/values/value.ts';
import type { ListFilter } from '../../index/note-index.ts';
import type { VaultSession } from '../../vault/session.ts';
import { filesOf, pacingOf } from './base-run.ts';

/** The use of one property in the notes. */
export interface PropertyUse {
  /** The most frequent spelling. */
  readonly name: string;
  readonly notes: number;
  /** Number of notes per type of value, most frequent first. */
  readonly types: readonly { readonly type: string; readonly notes: number }[];
  /** Number of notes per value, most frequent first. Items of lists count separately. */
  readonly values: readonly { readonly value: string; readonly notes: number }[];
}

interface Counting {
  readonly spellings: Map<string, number>;
  readonly types: Map<string, number>;
  readonly values: Map<string, number>;
  notes: number;
}

/** Limit of distinct values per property; further ones are not counted. */
const MAX_VALUES = 50_000;
const MAX_VALUE_CHARS = 200;

/**
 * All properties of the notes that a caller may read, most used first.
 * @param only key of the one property that is wanted
 */
export async function propertyCensus(
  vault: VaultSession,
  signal: AbortSignal,
  only?: string,
): Promise<readonly PropertyUse[]> {
  const found = new Map<string, Counting>();
  const pacing = pacingOf(signal);
  const filter: ListFilter = {
    kinds: ['note'],
    ...(only !== undefined && { where: { kind: 'property', name: only } }),
  };
  for await (const batch of filesOf(vault, filter)) {
    for (const { path, properties } of batch) {
      for (const [name, value] of Object.entries(properties)) {
        const key = propertyKey(name);
        if (only !== undefined && key !== only) continue;
        let counting = found.get(key);
        if (counting === undefined) {
          counting = { spellings: new Map(), types: new Map(), values: new Map(), notes: 0 };
          found.set(key, counting);
        }
        count(counting, name, value, path);
      }
      if (pacing.isDue()) await pacing.pause();
    }
  }
  return [...found.values()]
    .map(useOf)
    .sort((one, other) => other.notes - one.notes || (one.name < other.name ? -1 : 1));
}

/** Names that differ only in case or Unicode form are one property. */
export function propertyKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function count(counting: Counting, name: string, value: unknown, path: string): void {
  counting.notes++;
  add(counting.spellings, name);
  add(counting.types, typeOf(fromProperty(value, path)));
  const items = new Set((Array.isArray(value) ? value : [value]).map(shownValue));
  for (const item of items)
    if (counting.values.has(item) || counting.values.size < MAX_VALUES) add(counting.values, item);
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS - 1)}…` : text;
}

function useOf({ spellings, types, values, notes }: Counting): PropertyUse {
  return {
    name: ranked(spellings)[0]?.[0] ?? '',
    notes,
    types: ranked(types).map(([type, times]) => ({ type, notes: times })),
    values: ranked(values).map(([value, times]) => ({ value, notes: times })),
  };
}

function ranked(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(
    ([one, times], [other, otherTimes]) => otherTimes - times || (one < other ? -1 : 1),
  );
}
