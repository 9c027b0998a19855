import type { DateValue } from './date-value.ts';
import type { DurationValue } from './duration-value.ts';

/** A value of an expression of a base. */
export type Value =
  | null
  | boolean
  | number
  | string
  | DateValue
  | DurationValue
  | readonly Value[]
  | ObjectValue
  | LinkValue
  | FileValue
  | RegexValue
  | MarkupValue;

export type TypeName =
  | 'null'
  | 'boolean'
  | 'number'
  | 'string'
  | 'date'
  | 'duration'
  | 'list'
  | 'object'
  | 'link'
  | 'file'
  | 'regexp'
  | 'html'
  | 'image'
  | 'icon';

/** A map in source order. Each value is converted when it is first read, as most are never read. */
export class ObjectValue {
  readonly type = 'object';
  readonly #keys: readonly string[];
  readonly #make: (key: string) => Value;
  readonly #made = new Map<string, Value>();

  constructor(keys: readonly string[], make: (key: string) => Value) {
    this.#keys = keys;
    this.#make = make;
  }

  static of(entries: Iterable<readonly [string, Value]>): ObjectValue {
    const map = new Map(entries);
    return new ObjectValue([...map.keys()], (key) => map.get(key) ?? null);
  }

  get entries(): ReadonlyMap<string, Value> {
    return new Map(this.#keys.map((key) => [key, this.#value(key)]));
  }

  /** Looks up the exact key, then one that differs in case only, as Obsidian does; null when there is none. */
  get(key: string): Value {
    if (this.#keys.includes(key)) return this.#value(key);
    const folded = key.toLowerCase();
    const other = this.#keys.find((each) => each.toLowerCase() === folded);
    return other === undefined ? null : this.#value(other);
  }

  #value(key: string): Value {
    let value = this.#made.get(key);
    if (value === undefined) {
      value = this.#make(key);
      this.#made.set(key, value);
    }
    return value;
  }
}

/** An unresolved link; comparisons resolve it when needed. */
export class LinkValue {
  readonly type = 'link';
  /** Without the subpath; a URL for a link to the web. */
  readonly target: string;
  readonly display: string | undefined;
  /** Path of the note that contains it, from which it is resolved. */
  readonly source: string;

  constructor(target: string, source: string, display?: string) {
    this.target = target;
    this.source = source;
    this.display = display;
  }
}

/** A file of the vault, by its path. */
export class FileValue {
  readonly type = 'file';
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

/** A regular expression, compiled when it is used. */
export class RegexValue {
  readonly type = 'regexp';
  readonly source: string;
  readonly flags: string;

  constructor(source: string, flags: string) {
    this.source = source;
    this.flags = flags;
  }
}

/** Content for display only: HTML, an image, an icon. */
export class MarkupValue {
  readonly type: 'html' | 'image' | 'icon';
  readonly text: string;

  constructor(type: 'html' | 'image' | 'icon', text: string) {
    this.type = type;
    this.text = text;
  }
}

/** The name of a value's type, as `isType()` and errors give it. */
export function typeOf(value: Value): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const type = typeof value;
  return type === 'object' ? (value as { type: TypeName }).type : (type as 'boolean' | 'number' | 'string');
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** False for an empty text, zero, NaN, null, an empty list and false; true for any other value. */
export function isTruthy(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return false;
  if (typeof value === 'number') return !Number.isNaN(value);
  return !isList(value) || value.length > 0;
}
