import { errorsIn, parseFrontmatter } from '../frontmatter/frontmatter.ts';
import { stem } from '../path.ts';
import { bomLength, eolToInsert } from '../text.ts';

/**
 * Notes in the format of Joplin's export "Markdown + Front Matter": one file per note in one folder per
 * notebook, with Joplin's own data in the front matter. A note without front matter is valid too.
 */
export interface JoplinFacts {
  readonly title: string;
  readonly isTodo: boolean;
  readonly isCompleted: boolean;
  /** ms since the epoch; 0 = not due. */
  readonly dueMs: number;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** As first written; tags that differ in case only are one. Includes tags in the text. */
  readonly tags: readonly string[];
  readonly sourceUrl: string;
  /** 0 for a note without a location, as in Joplin. */
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number;
  /** The note's id from the front matter, if valid. */
  readonly id: string | undefined;
}

export interface JoplinSource {
  readonly path: string;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  /** All tags of the note, in text and front matter. */
  readonly tags: readonly string[];
  readonly frontmatter: Readonly<Record<string, unknown>> | undefined;
}

/** The property of a to-do: `yes` when it is completed. */
export const COMPLETED = 'completed?';

/** Joplin's data of a note. Without these properties the title is the file's name, and the times are the file's. */
export function joplinFacts({
  path,
  mtimeMs,
  birthtimeMs,
  tags,
  frontmatter = {},
}: JoplinSource): JoplinFacts {
  const properties = new Map(Object.entries(frontmatter).map(([key, value]) => [key.toLowerCase(), value]));
  const first = (...names: readonly string[]): unknown =>
    properties.get(names.find((name) => properties.has(name)) ?? '');
  const isTodo = properties.has(COMPLETED);
  const completed = first(COMPLETED);
  const id = text(first('id'));
  return {
    title: titleOf(first('title'), stem(path)),
    isTodo,
    isCompleted: isTodo && (completed === true || /^(?:yes|true)$/i.test(text(completed))),
    dueMs: (isTodo && joplinTime(first('due'))) || 0,
    createdMs: joplinTime(first('created', 'date', 'created_at')) ?? Math.round(birthtimeMs),
    updatedMs: joplinTime(first('updated', 'lastmod', 'date', 'updated_at')) ?? Math.round(mtimeMs),
    tags: distinct([...listedTags(first('tags', 'keywords')), ...tags]),
    sourceUrl: text(first('source')),
    latitude: number(first('latitude')),
    longitude: number(first('longitude')),
    altitude: number(first('altitude')),
    id: JOPLIN_ID.test(id) ? id : undefined,
  };
}

/** Joplin writes every title unquoted: for a number, the file's name preserves the spelling. */
function titleOf(property: unknown, name: string): string {
  if (typeof property === 'number' && Number(name) === property) return name;
  return text(property) || name;
}

/** Ids of notes, notebooks and tags. */
export const JOPLIN_ID = /^[0-9a-f]{32}$/;

/** Tags in front matter: in Joplin any text is valid, also with spaces or only digits. */
export function listedTags(value: unknown): readonly string[] {
  const listed = typeof value === 'string' && value.includes(',') ? value.split(',') : value;
  const all = Array.isArray(listed) ? listed : [listed];
  return all
    .map(text)
    .filter((tag) => tag !== '')
    .map((tag) => tag.replace(/^#(?=.)/, ''));
}

function distinct(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) {
    const key = tagTitleKey(tag);
    if (!byKey.has(key)) byKey.set(key, tag.normalize('NFC'));
  }
  return [...byKey.values()];
}

/** Titles that differ in case only are one tag. */
export function tagTitleKey(title: string): string {
  return title.trim().normalize('NFC').toLowerCase();
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

function number(value: unknown): number {
  const found = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : 0;
  return Number.isFinite(found) ? found : 0;
}

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Parses a time to ms since the epoch. Without a zone it is in this machine's time zone, as in Joplin. */
export function joplinTime(value: unknown): number | undefined {
  const [, year, month, day, hour = '0', minute = '0', second = '0', part = '0', zone] =
    TIME.exec(text(value)) ?? [];
  if (year === undefined) return undefined;
  const ms = Number(part.padEnd(3, '0'));
  const parts = [
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    ms,
  ] as const;
  if (parts[1] > 11 || parts[2] < 1 || parts[2] > 31 || parts[3] > 24 || parts[4] > 59) return undefined;
  if (zone === undefined) return new Date(...parts).getTime();
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.replace(/\D/g, '');
  const offset = digits === '' ? 0 : sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)));
  return Date.UTC(...parts) - offset * 60_000;
}

/** Formats a time as Joplin does: `2021-01-01 00:00:00Z`. */
export function joplinTimeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** Start of the note's own text: the export separates it from the front matter with an empty line. */
export function joplinBodyStart(noteText: string, bodyStart: number, hasFrontmatter: boolean): number {
  if (!hasFrontmatter) return bodyStart;
  const empty = /^[ \t]*(?:\r\n|\n|\r)/.exec(noteText.slice(bodyStart, bodyStart + 80));
  return bodyStart + (empty?.[0].length ?? 0);
}

const UNSAFE = new Set('/\n\r<>:\'"\\|?*#^[]\t');
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
const MAX_NAME_LENGTH = 100;

/**
 * The file or folder name for a title, without extension: characters that file systems or links cannot hold
 * become `_`, as in Joplin's exports.
 */
export function joplinFileName(title: string): string {
  let name = '';
  for (const char of title.normalize('NFC'))
    name += UNSAFE.has(char) || /\p{Cc}|\p{Cs}/u.test(char) ? '_' : char;
  name = [...name]
    .slice(0, MAX_NAME_LENGTH)
    .join('')
    .trim()
    .replace(/[. ]+$/, '');
  while (Buffer.byteLength(name) > 200) name = name.slice(0, -1).trimEnd();
  name = name.replace(/^\.+/, '_');
  if (DEVICES.test(name)) return '___';
  return name === '' ? 'Untitled' : name;
}

export interface NewJoplinNote {
  readonly title: string;
  readonly body: string;
  readonly isTodo: boolean;
  readonly nowMs: number;
}

/** A new note in the form of the export. */
export function joplinNoteText({ title, body, isTodo, nowMs }: NewJoplinNote): string {
  const time = joplinTimeText(nowMs);
  const lines = [`title: ${yamlText(title)}`, `updated: ${time}`, `created: ${time}`];
  if (isTodo) lines.push(`${COMPLETED}: no`);
  return `---\n${lines.join('\n')}\n---\n\n${body}`;
}

/** Values that other YAML readers do not read as text; Joplin does. */
const NO_TEXT =
  /^(?:~|null|true|false|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|0o[0-7]+|0x[0-9a-f]+|[-+]?\.inf|\.nan)$/i;

/** A YAML value as Joplin's exports write it: plain where possible, otherwise in single quotes. */
export function yamlText(value: string): string {
  if (/[\p{Cc}\p{Zl}\p{Zp}\ufeff]/u.test(value)) return JSON.stringify(value);
  const isPlain =
    /^[^\s\-?:,[\]{}#&*!|=>'"%@`]/u.test(value) && !/:(?:\s|$)|\s#|\s$/.test(value) && value !== '';
  // A number whose printed form equals its spelling is read as the same title.
  const isText = !NO_TEXT.test(value) || String(Number(value)) === value;
  return isPlain && isText ? value : `'${value.replaceAll("'", "''")}'`;
}

/**
 * A note's text with a one-line property set: replaced, or added after the others.
 *
 * @returns undefined when the property takes more than one line, or the front matter cannot be read
 */
export function withPlainProperty(noteText: string, key: string, plain: string): string | undefined {
  const eol = eolToInsert(noteText);
  const frontmatter = parseFrontmatter(noteText, 'obsidian');
  if (frontmatter === undefined) {
    const start = bomLength(noteText);
    const block = `---${eol}${key}: ${plain}${eol}---${eol}${eol}`;
    return noteText.slice(0, start) + block + noteText.slice(start);
  }
  if (errorsIn(frontmatter).length > 0) return undefined;
  const found = frontmatter.properties.find((property) => property.key === key);
  if (found === undefined) {
    const { start, end } = frontmatter.contentSpan;
    const gap = end === start || /[\r\n]$/.test(noteText.slice(0, end)) ? '' : eol;
    return `${noteText.slice(0, end)}${gap}${key}: ${plain}${eol}${noteText.slice(end)}`;
  }
  const { start, end } = found.valueSpan;
  const old = noteText.slice(start, end);
  if (/[\r\n]|^[|>&!*]/.test(old)) return undefined;
  const gap = noteText[start - 1] === ':' ? ' ' : '';
  return `${noteText.slice(0, start)}${gap}${plain}${noteText.slice(end)}`;
}
