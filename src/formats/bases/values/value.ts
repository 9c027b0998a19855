import type { DateValue } from './date-value.ts';
import type { DurationValue } from './duration-value.ts';

/** What an expression of a base can come to. */
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

/** A map of properties, in the order of its source. Values are made when they are asked for: few of many are. */
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

  /** By the exact key, else by one that differs in case only, as Obsidian's properties are looked up. */
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

/** A link as it is written: where it leads is looked up when that matters. */
export class LinkValue {
  readonly type = 'link';
  /** Without the subpath; an address for a link out of the vault. */
  readonly target: string;
  readonly display: string | undefined;
  /** The note it stands in, from which its path is meant. */
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

/** A regular expression; it is compiled where it is used, in linear time. */
export class RegexValue {
  readonly type = 'regexp';
  readonly source: string;
  readonly flags: string;

  constructor(source: string, flags: string) {
    this.source = source;
    this.flags = flags;
  }
}

/** What is shown rather than computed with: HTML, an image, an icon. */
export class MarkupValue {
  readonly type: 'html' | 'image' | 'icon';
  readonly text: string;

  constructor(type: 'html' | 'image' | 'icon', text: string) {
    this.type = type;
    this.text = text;
  }
}

export function typeOf(value: Value): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  const type = typeof value;
  return type === 'object' ? (value as { type: TypeName }).type : (type as 'boolean' | 'number' | 'string');
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** Empty text, zero, nothing, an empty list and false are false. */
export function isTruthy(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return false;
  if (typeof value === 'number') return !Number.isNaN(value);
  return !isList(value) || value.length > 0;
}
