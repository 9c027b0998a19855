import { extension } from '../../../notes/path.ts';
import { toText } from './compare.ts';
import { isList, type LinkValue, ObjectValue, type Value } from './value.ts';

/**
 * Converts a value to JSON data: dates to ISO 8601, durations to milliseconds, links to the text of a link in a
 * note, files to paths, and numbers that are not finite to null.
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
