import { coerce, dayIn, type FieldSpec } from '../suggest/field.ts';
import { type Facts, nameKey } from './pairs.ts';

/** A value that the note states. */
export interface FoundValue {
  readonly value: unknown;
  /** 1-based. */
  readonly line: number;
}

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/u;
const URL = /\bhttps?:\/\/[^\s<>()[\]"']{3,500}[^\s<>()[\]"'.,;:!?]/;
const NAMES = {
  email: /e-?mail/i,
  url: /^(?:url|link|website|homepage|source|web)$|url$/i,
  day: /^(?:date|day|on|when|datum)$|date$/i,
};

/**
 * Finds the value of a property where the note states it: a line `name: value`, a list under a heading with
 * that name, and for addresses and dates the first one in the note. Nothing is guessed.
 */
export function findField(field: FieldSpec, facts: Facts, title: string): FoundValue | undefined {
  const key = nameKey(field.name);
  for (const pair of facts.pairs) {
    if (nameKey(pair.key) !== key) continue;
    const value = coerce(field.type === 'list' ? itemsOf(pair.value) : pair.value, field);
    if (value !== undefined) return { value, line: pair.line };
  }
  if (field.type === 'list') {
    const list = facts.lists.find(({ heading }) => nameKey(heading) === key);
    const value = coerce(
      list?.items.map(({ text }) => text),
      field,
    );
    return value === undefined ? undefined : { value, line: list?.items[0]?.line ?? 1 };
  }
  return byKind(field, facts, title);
}

function byKind(field: FieldSpec, facts: Facts, title: string): FoundValue | undefined {
  if (field.type === 'date' && NAMES.day.test(field.name)) {
    const inTitle = dayIn(title);
    if (inTitle !== undefined) return { value: inTitle.day, line: 1 };
    for (const { text, line } of facts.lines) {
      const found = dayIn(text);
      if (found !== undefined) return { value: found.day, line };
    }
  }
  if (field.type !== 'text') return undefined;
  const kind = kindOf(field);
  return kind === undefined ? undefined : firstMatch(kind === 'email' ? EMAIL : URL, field, facts);
}

function kindOf({ kind, name }: FieldSpec): FieldSpec['kind'] {
  if (kind !== undefined) return kind;
  return NAMES.email.test(name) ? 'email' : NAMES.url.test(name) ? 'url' : undefined;
}

/** The first match of a pattern that the field allows. */
function firstMatch(pattern: RegExp, field: FieldSpec, { lines }: Facts): FoundValue | undefined {
  for (const { text, line } of lines) {
    const [found] = pattern.exec(text) ?? [];
    const value = found === undefined ? undefined : coerce(found, field);
    if (value !== undefined) return { value, line };
  }
  return undefined;
}

/** The items of `a, b; c` or `[a, b]`. */
export function itemsOf(value: string): string[] {
  return value
    .replace(/^\[(.*)\]$/, '$1')
    .split(/[,;]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
