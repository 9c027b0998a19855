import type { FileCondition } from '../../../notes/file-condition.ts';
import { tagKey } from '../../../notes/structure/tags.ts';
import { toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { FileValue, isList, LinkValue, type Value } from '../values/value.ts';

/** Largest difference between a wall-clock time read as UTC and its instant, ms. */
const ZONES_MS = 26 * 3_600_000;

/**
 * A condition that holds for every file whose field compares so to a constant value; undefined when the index
 * has no such condition.
 */
export function fileComparison(field: string, operator: string, value: Value): FileCondition | undefined {
  switch (field) {
    case 'mtime':
    case 'ctime':
      return timeComparison(field, operator, value);
    case 'size':
      return typeof value === 'number' ? bounded('size', operator, value, 0) : undefined;
    default:
      return operator === '==' && typeof value === 'string' ? textField(field, value) : undefined;
  }
}

function textField(field: string, value: string): FileCondition | undefined {
  switch (field) {
    case 'ext':
      return /^[a-z\d]+$/.test(value) ? { kind: 'ext', ext: value } : undefined;
    case 'path':
      return { kind: 'path', path: value };
    case 'name':
      return { kind: 'name', name: value };
    case 'basename':
      return { kind: 'basename', name: value };
    case 'folder':
      return value === '' ? undefined : { kind: 'prefix', prefix: `${value}/` };
    default:
      return undefined;
  }
}

function timeComparison(field: 'mtime' | 'ctime', operator: string, value: Value): FileCondition | undefined {
  const date = typeof value === 'string' ? DateValue.parse(value) : value;
  return date instanceof DateValue ? bounded(field, operator, date.wallMs, ZONES_MS) : undefined;
}

/** @param slack widens the range on both sides by this much, in the unit of `value` */
function bounded(
  of: 'size' | 'mtime' | 'ctime',
  operator: string,
  value: number,
  slack: number,
): FileCondition | undefined {
  const [min, max] = [value - slack, value + slack];
  switch (operator) {
    case '==':
      return { kind: 'number', of, min, max };
    case '<':
    case '<=':
      return { kind: 'number', of, max };
    case '>':
    case '>=':
      return { kind: 'number', of, min };
    default:
      return undefined;
  }
}

/**
 * A condition that holds for every file for which a method of `file` with constant arguments is true; undefined
 * when the index has no such condition.
 */
export function fileMethod(name: string, values: readonly Value[]): FileCondition | undefined {
  const [only = null] = values;
  switch (name) {
    case 'hasTag':
      return tagged(values.flatMap((value) => (isList(value) ? value : [value])).map(toText));
    case 'inFolder':
      return folder(only);
    case 'hasProperty':
      return typeof only === 'string' && only !== '' ? { kind: 'property', name: only } : undefined;
    case 'hasLink':
    case 'linksTo':
      return linked(only);
    default:
      return undefined;
  }
}

function tagged(tags: readonly string[]): FileCondition | undefined {
  if (tags.length === 0 || tags.some((tag) => tagKey(tag) === '')) return undefined;
  const of = tags.map((tag) => ({ kind: 'tag', tag }) as const);
  return of.length > 1 ? { kind: 'any', of } : of[0];
}

function folder(value: Value): FileCondition | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.replace(/^\/+|\/+$/g, '');
  return name === '' ? undefined : { kind: 'folder', folder: name };
}

/** A target that does not depend on the linking note; relative links and URLs are left to the evaluator. */
function linked(value: Value): FileCondition | undefined {
  if (value instanceof FileValue) return { kind: 'links', target: value.path };
  const written = value instanceof LinkValue ? value.target : typeof value === 'string' ? value : '';
  const target = written
    .replace(/^!?\[\[|\]\]$/g, '')
    .replace(/[#|].*$/s, '')
    .trim();
  const isPlain = target !== '' && !/^\.{0,2}\/|[[\]()]|^[a-z][a-z\d+.-]*:/i.test(target);
  return isPlain ? { kind: 'links', target } : undefined;
}
