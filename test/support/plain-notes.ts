import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseDocument } from 'yaml';

/** A note as a short script reads it, with nothing of the program that is tested. */
export interface PlainNote {
  readonly path: string;
  /** File name without `.md`. */
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The notes of a folder in path order; front matter that is not YAML counts as none. */
export function plainNotes(folder: string): readonly PlainNote[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) =>
      relative(folder, join(entry.parentPath ?? entry.path, entry.name))
        .split(sep)
        .join('/'),
    )
    .filter((path) => !path.split('/').some((segment) => segment.startsWith('.')))
    .sort((one, other) => (one < other ? -1 : 1))
    .map((path) => ({
      path,
      name: (path.split('/').pop() ?? '').replace(/\.md$/, ''),
      properties: propertiesOf(readFileSync(join(folder, path), 'utf8')),
    }));
}

function propertiesOf(text: string): Readonly<Record<string, unknown>> {
  const block = /^---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/.exec(text)?.[1];
  if (block === undefined) return {};
  const document = parseDocument(block, { schema: 'core' });
  const value: unknown = document.errors.length > 0 ? undefined : document.toJS();
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Whether a property is a list that holds a link to a note of that name, whatever the link shows. */
export function holdsLink(value: unknown, name: string): boolean {
  return (
    Array.isArray(value) &&
    value.some((item) => typeof item === 'string' && new RegExp(`^\\[\\[${name}(?:\\|.*)?\\]\\]$`).test(item))
  );
}

/** Newest first; notes without the property last, equal ones in path order. */
export function newestFirst(notes: readonly PlainNote[], property: string): readonly PlainNote[] {
  const key = ({ properties }: PlainNote) => {
    const value = properties[property];
    return value === null || value === undefined ? '' : String(value);
  };
  return [...notes].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === '' || b === '') return Number(a === '') - Number(b === '');
    return a < b ? 1 : Number(a > b) * -1;
  });
}
