import { extension } from '../../../notes/path.ts';
import { toText } from './compare.ts';
import { isList, type LinkValue, ObjectValue, type Value } from './value.ts';

/**
 * A value as data: dates in ISO 8601, durations in milliseconds, links as they are written in a note, files as
 * paths.
 */
export function plainValue(value: Value): unknown {
  if (value === null || typeof value !== 'object') {
    return typeof value === 'number' && !Number.isFinite(value) ? null : value;
  }
  if (isList(value)) return value.map(plainValue);
  if (value instanceof ObjectValue)
    return Object.fromEntries([...value.entries].map(([key, inner]) => [key, plainValue(inner)]));
  switch (value.type) {
    case 'date':
      return value.toIso();
    case 'duration':
      return value.totalMs;
    case 'link':
      return writtenLink(value);
    case 'file':
      return value.path;
    default:
      return toText(value);
  }
}

function writtenLink({ target, display }: LinkValue): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(target)) return display === undefined ? target : `[${display}](${target})`;
  const shown = extension(target) === 'md' ? target.slice(0, -3) : target;
  return display === undefined ? `[[${shown}]]` : `[[${shown}|${display}]]`;
}
