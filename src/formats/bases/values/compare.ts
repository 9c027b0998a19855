import { baseName, extension, stem } from '../../../notes/path.ts';
import { isWithinTag, tagKey } from '../../../notes/structure/tags.ts';
import type { Lookup } from '../evaluate/facts.ts';
import { DateValue } from './date-value.ts';
import { DurationValue } from './duration-value.ts';
import { readLink, withoutSubpath } from './from-property.ts';
import { FileValue, isList, LinkValue, MarkupValue, ObjectValue, RegexValue, type Value } from './value.ts';

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** A list of tags: it also contains the parents of its nested tags, ignoring case and `#`. */
export class TagList extends Array<string> {
  static override get [Symbol.species]() {
    return Array;
  }
}

/**
 * Whether two values are equal for `==` and for lists. A link equals the file it resolves to; a text is
 * compared as a date, duration, number or link when the other value is one.
 *
 * @throws NotLoaded when a link must be resolved first
 */
export function isEqual(left: Value, right: Value, lookup: Lookup): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  if (isPlace(left) || isPlace(right)) return isSamePlace(left, right, lookup);
  if (left instanceof DateValue || right instanceof DateValue) {
    const [one, other] = [dateOf(left), dateOf(right)];
    return one !== undefined && other !== undefined && one.wallMs === other.wallMs;
  }
  if (left instanceof DurationValue || right instanceof DurationValue) {
    const [one, other] = [lengthOf(left), lengthOf(right)];
    return one !== undefined && one === other;
  }
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((item, at) => isEqual(item, right[at] ?? null, lookup));
  if (left instanceof ObjectValue && right instanceof ObjectValue) {
    const keys = [...left.entries.keys()];
    return (
      keys.length === right.entries.size &&
      keys.every((key) => isEqual(left.get(key), right.get(key), lookup))
    );
  }
  if (left instanceof RegexValue && right instanceof RegexValue)
    return left.source === right.source && left.flags === right.flags;
  if (left instanceof MarkupValue && right instanceof MarkupValue)
    return left.type === right.type && left.text === right.text;
  if (typeof left === 'number' && typeof right === 'string') return isNumeral(right, left);
  if (typeof left === 'string' && typeof right === 'number') return isNumeral(left, right);
  return false;
}

function isNumeral(text: string, number: number): boolean {
  return text.trim() !== '' && Number(text) === number;
}

function isPlace(value: Value): value is LinkValue | FileValue {
  return value instanceof LinkValue || value instanceof FileValue;
}

/** Compares links by the files they resolve to; unresolved links by their targets, ignoring case. */
function isSamePlace(left: Value, right: Value, lookup: Lookup): boolean {
  const source = [left, right].find((value) => value instanceof LinkValue)?.source ?? '';
  const [one, other] = [asPlace(left, source), asPlace(right, source)];
  if (one === undefined || other === undefined) return false;
  const [path, otherPath] = [pathOf(one, lookup), pathOf(other, lookup)];
  if (path !== undefined && otherPath !== undefined) return path === otherPath;
  if (path !== undefined || otherPath !== undefined) return false;
  return (
    one instanceof LinkValue && other instanceof LinkValue && linkKey(one.target) === linkKey(other.target)
  );
}

function asPlace(value: Value, source: string): LinkValue | FileValue | undefined {
  if (isPlace(value)) return value;
  return typeof value === 'string'
    ? (readLink(value, source) ?? new LinkValue(withoutSubpath(value), source))
    : undefined;
}

/** Path of the file that a link or file value refers to; undefined for an unresolved link. @throws NotLoaded */
export function pathOf(value: LinkValue | FileValue, lookup: Lookup): string | undefined {
  return value instanceof FileValue ? value.path : lookup.resolve(value.target, value.source);
}

function linkKey(target: string): string {
  return target.normalize('NFC').toLowerCase().replace(/\.md$/, '');
}

/**
 * Whether a list contains a value; a {@link TagList} also contains the parents of its tags.
 *
 * @throws NotLoaded
 */
export function holds(list: readonly Value[], wanted: Value, lookup: Lookup): boolean {
  if (!(list instanceof TagList) || typeof wanted !== 'string')
    return list.some((item) => isEqual(item, wanted, lookup));
  const key = tagKey(wanted);
  return list.some((item) => isWithinTag(tagKey(item), key));
}

/** Negative, zero or positive, by the order that `<` uses; undefined for values that cannot be ordered. */
export function compared(left: Value, right: Value): number | undefined {
  if (left === null || right === null) return undefined;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof DateValue || right instanceof DateValue) {
    const [one, other] = [dateOf(left), dateOf(right)];
    return one && other && one.wallMs - other.wallMs;
  }
  if (left instanceof DurationValue || right instanceof DurationValue) {
    const [one, other] = [lengthOf(left), lengthOf(right)];
    return one === undefined || other === undefined ? undefined : one - other;
  }
  if (typeof left === 'string' && typeof right === 'string') {
    const [one, other] = [DateValue.parse(left), DateValue.parse(right)];
    if (one !== undefined && other !== undefined) return one.wallMs - other.wallMs;
    return COLLATOR.compare(left, right) || (left < right ? -1 : Number(left > right));
  }
  if (typeof left === 'number' && typeof right === 'string')
    return right.trim() === '' ? undefined : orNone(left - Number(right));
  if (typeof left === 'string' && typeof right === 'number')
    return left.trim() === '' ? undefined : orNone(Number(left) - right);
  return undefined;
}

const orNone = (difference: number) => (Number.isNaN(difference) ? undefined : difference);

function dateOf(value: Value): DateValue | undefined {
  if (value instanceof DateValue) return value;
  return typeof value === 'string' ? DateValue.parse(value) : undefined;
}

/** Milliseconds of a number, a duration, or a text that is a duration; undefined for any other value. */
export function lengthOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (value instanceof DurationValue) return value.totalMs;
  return typeof value === 'string' ? DurationValue.parse(value)?.totalMs : undefined;
}

const TYPE_ORDER = ['number', 'duration', 'date', 'boolean', 'string'];

/**
 * Compares two values for sorting rows: by value within a type, different types in the order of `TYPE_ORDER`.
 * Empty values come last in both directions.
 *
 * @returns negative, zero or positive
 */
export function sortOrder(left: Value, right: Value, direction: 1 | -1): number {
  const [isEmptyLeft, isEmptyRight] = [isBlank(left), isBlank(right)];
  if (isEmptyLeft || isEmptyRight) return Number(isEmptyLeft) - Number(isEmptyRight);
  const [one, other] = [sortKey(left), sortKey(right)];
  const order = compared(one, other);
  if (order !== undefined) return order * direction;
  const [rank, otherRank] = [one, other].map((value) => TYPE_ORDER.indexOf(kindOf(value)));
  return ((rank ?? 0) - (otherRank ?? 0)) * direction;
}

function isBlank(value: Value): boolean {
  return value === null || value === '' || (isList(value) && value.length === 0);
}

function kindOf(value: Value): string {
  return value instanceof DateValue || value instanceof DurationValue ? value.type : typeof value;
}

function sortKey(value: Value): Value {
  const simple = value instanceof DateValue || value instanceof DurationValue;
  return simple || value === null || typeof value !== 'object' ? value : toText(value);
}

/** Converts a value to text as `toString()`, `join` and `+` with a text do; null becomes the empty text. */
export function toText(value: Value): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return value.map(toText).join(', ');
  switch (value.type) {
    case 'date':
      return value.toString();
    case 'duration':
      return String(value.totalMs);
    case 'object':
      return JSON.stringify(
        Object.fromEntries([...value.entries].map(([key, inner]) => [key, toText(inner)])),
      );
    case 'link':
      return value.display ?? value.target;
    case 'file':
      return nameOf(value.path);
    case 'regexp':
      return `/${value.source}/${value.flags}`;
    case 'html':
    case 'image':
    case 'icon':
      return value.text;
  }
}

/** The displayed name of a file: of a note without its extension. */
function nameOf(path: string): string {
  return extension(path).toLowerCase() === 'md' ? stem(path) : baseName(path);
}
