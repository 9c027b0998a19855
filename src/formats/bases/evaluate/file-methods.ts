import { baseName, dirName, extension, stem } from '../../../notes/path.ts';
import { isWithinTag, tagKey } from '../../../notes/structure/tags.ts';
import { isEqual, TagList, toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { fromProperty } from '../values/from-property.ts';
import { FileValue, isList, LinkValue, ObjectValue, type Value } from '../values/value.ts';
import type { CallContext } from './call.ts';
import { type FileFacts, type LinkFacts, type Lookup, NO_FILE } from './facts.ts';
import { toFile } from './global-functions.ts';

/** The fields of `file`, with the function that computes each. */
export const FILE_FIELDS: Readonly<Record<string, (facts: FileFacts, lookup: Lookup) => Value>> = {
  name: ({ path }) => baseName(path),
  basename: ({ path }) => stem(path),
  path: ({ path }) => path,
  folder: ({ path }) => dirName(path),
  ext: ({ path }) => extension(path),
  size: ({ size }) => size,
  ctime: ({ ctimeMs }) => DateValue.ofInstant(ctimeMs),
  mtime: ({ mtimeMs }) => DateValue.ofInstant(mtimeMs),
  tags: ({ tags }) => TagList.from(tags),
  links: ({ path }, lookup) => linksOf(path, lookup.links(path)),
  embeds: ({ path }, lookup) =>
    linksOf(
      path,
      lookup.links(path).filter(({ embed }) => embed),
    ),
  backlinks: ({ path }, lookup) => lookup.backlinks(path).map((source) => new LinkValue(source, '')),
  properties: (facts) => propertiesOf(facts),
  file: ({ path }) => new FileValue(path),
};

/** Fields that are computed from the path alone, without loading facts. */
const FROM_PATH: ReadonlySet<string> = new Set(['name', 'basename', 'path', 'folder', 'ext', 'file']);

/**
 * The value of a file's field: null when the file does not exist, undefined when there is no such field.
 *
 * @throws NotLoaded when facts or links must be loaded first
 */
export function fileField(path: string, name: string, lookup: Lookup): Value | undefined {
  const field = Object.hasOwn(FILE_FIELDS, name) ? FILE_FIELDS[name] : undefined;
  if (field === undefined) return undefined;
  if (FROM_PATH.has(name)) return field({ ...NO_FILE, path }, lookup);
  const facts = lookup.facts(path);
  return facts === undefined ? null : field(facts, lookup);
}

function linksOf(path: string, links: readonly LinkFacts[]): Value {
  return links.map(({ written, target }) => new LinkValue(target ?? written, path));
}

/** The front matter of a file as one value. */
export function propertiesOf({ properties, path }: FileFacts): ObjectValue {
  return new ObjectValue(Object.keys(properties), (key) => propertyValue(key, properties[key], path));
}

/** The items of a `tags` property become a {@link TagList}, which also contains the parents of nested tags. */
function propertyValue(key: string, value: unknown, path: string): Value {
  if (/^tags?$/i.test(key) && Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return TagList.from(value);
  return fromProperty(value, path);
}

/** Whether a file has any of the tags or a nested tag of one; `#` is optional and case is ignored. */
export function hasTag(facts: FileFacts | undefined, wanted: readonly Value[]): boolean {
  const keys = wanted
    .flatMap((value) => (isList(value) ? value : [value]))
    .map((value) => tagKey(toText(value)));
  return (facts?.tags ?? []).some((tag) => {
    const own = tagKey(tag);
    return keys.some((key) => key !== '' && isWithinTag(own, key));
  });
}

/** Whether a path is in the folder or a subfolder, ignoring case; `''` and `/` are the vault root. */
export function inFolder(path: string, folder: string): boolean {
  const wanted = folder
    .replace(/^\/+|\/+$/g, '')
    .normalize('NFC')
    .toLowerCase();
  return wanted === '' || path.normalize('NFC').toLowerCase().startsWith(`${wanted}/`);
}

/** Whether a file has a link to another file or to the same unresolved target, with any subpath. */
export function fileHasLink(path: string, to: Value, context: CallContext): boolean {
  if (to === null) return false;
  const links = context.lookup.links(path);
  context.spend(links.length);
  const file = toFile(to, context);
  if (file !== null) return links.some(({ target }) => target === file.path);
  return links.some(
    ({ written, target }) =>
      target === undefined && isEqual(new LinkValue(written, path), asLink(to, path), context.lookup),
  );
}

function asLink(value: Value, source: string): Value {
  return value instanceof LinkValue || value instanceof FileValue
    ? value
    : new LinkValue(toText(value), source);
}
