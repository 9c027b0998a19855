import type { Property, Span } from '../model.ts';
import type { BlockReading, PropertyScalar } from './block.ts';

// No two parts can match the same spaces, as a line of spaces would otherwise take quadratic time.
const PROPERTY_LINE = /^([ \t]*(?:- [ \t]*)?)([^\s:#"'()[\]{},`]+)::(?:[ \t]+(?![ \t])(.*))?$/;
const LIST_NAMES = new Set(['tags', 'alias', 'aliases']);

export interface LogseqBlock extends BlockReading {
  /** First property line to the end of the last one, EOL included. */
  readonly span: Span;
}

/** The form in which Logseq compares property names: lower case, `_` as `-`. */
export function logseqPropertyName(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('_', '-');
}

/**
 * Reads a Logseq page's properties: the `key:: value` lines at the start of its first block. A first block that
 * is a bullet must contain nothing else, because properties under a bullet with text belong to that block and
 * not to the page. `tags` and `alias` are split at commas; `true`, `false` and integers are typed.
 *
 * @returns undefined when the page has no such lines
 */
export function readLogseqProperties(text: string): LogseqBlock | undefined {
  const properties: Property[] = [];
  const scalars: PropertyScalar[] = [];
  const seen = new Set<string>();
  let at = skipBlankLines(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const start = at;
  let bullet = false;
  let end = at;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(at, newline < 0 ? next : newline - (text[newline - 1] === '\r' ? 1 : 0));
    const startsBullet = /^[ \t]*-(?: |$)/.test(line);
    if (line.trim() === '' || (properties.length > 0 && startsBullet)) break;
    const match = PROPERTY_LINE.exec(line);
    if (match === null) {
      if (bullet || properties.length === 0) return undefined;
      break;
    }
    bullet ||= startsBullet;
    const property = propertyAt(match, at, next);
    properties.push(property);
    if (!seen.has(property.key)) scalars.push(...scalarsOf(property, text));
    seen.add(property.key);
    at = next;
    end = next;
  }
  return properties.length === 0 ? undefined : { span: { start, end }, properties, scalars, problems: [] };
}

function propertyAt(match: RegExpExecArray, lineStart: number, lineEnd: number): Property {
  const [whole, lead = '', name = ''] = match;
  const raw = trimmedEnd(match[3] ?? '');
  const keyStart = lineStart + lead.length;
  const afterColons = keyStart + name.length + 2;
  const valueStart =
    raw === ''
      ? Math.min(afterColons + 1, lineStart + whole.length)
      : lineStart + whole.indexOf(raw, lead.length + name.length + 2);
  const key = logseqPropertyName(name);
  return {
    key,
    keySpan: { start: keyStart, end: keyStart + name.length },
    valueSpan: { start: valueStart, end: valueStart + raw.length },
    span: { start: lineStart, end: lineEnd },
    value: typedValue(key, raw),
  };
}

function trimmedEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1;
  return text.slice(0, end);
}

function typedValue(key: string, raw: string): unknown {
  if (LIST_NAMES.has(key)) return listItems(raw).map((item) => item.value);
  if (raw === 'true') return true;
  if (raw === 'false') return false;
  if (/^-?(0|[1-9]\d*)$/.test(raw) && Number.isSafeInteger(Number(raw)) && raw !== '-0') return Number(raw);
  return raw;
}

function scalarsOf(property: Property, text: string): PropertyScalar[] {
  const { key, value, valueSpan } = property;
  if (typeof value === 'string') {
    return value === '' ? [] : [{ keyPath: key, value, span: valueSpan, style: 'plain' }];
  }
  if (!Array.isArray(value)) return [];
  return listItems(text.slice(valueSpan.start, valueSpan.end)).map((item, i) => ({
    keyPath: `${key}.${i}`,
    value: item.value,
    span: { start: valueSpan.start + item.start, end: valueSpan.start + item.end },
    style: 'plain',
  }));
}

/**
 * The comma-separated items of a list property, with offsets in `raw`. `#` and the brackets of `[[Page]]` are
 * part of an item's span and not of its value. A comma inside brackets does not separate items.
 */
export function listItems(raw: string): readonly { value: string; start: number; end: number }[] {
  const items: { value: string; start: number; end: number }[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at <= raw.length; at += 1) {
    const char = raw[at];
    if (char === '[' && raw[at + 1] === '[') depth += 1;
    else if (char === ']' && raw[at + 1] === ']') depth = Math.max(0, depth - 1);
    if (at < raw.length && (char !== ',' || depth > 0)) continue;
    const part = raw.slice(start, at);
    const written = part.trim();
    if (written !== '') {
      const from = start + part.indexOf(written);
      items.push({
        value: written.replace(/^#/, '').replace(/^\[\[(.*)\]\]$/s, '$1'),
        start: from,
        end: from + written.length,
      });
    }
    start = at + 1;
  }
  return items;
}

function skipBlankLines(text: string, from: number): number {
  let at = from;
  for (let i = from; i < text.length && /\s/.test(text[i] ?? ''); i += 1) if (text[i] === '\n') at = i + 1;
  return at;
}
