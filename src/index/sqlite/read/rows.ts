import { aliasesOf } from '../../../notes/frontmatter/frontmatter.ts';
import type { Dialect, ParsedNote } from '../../../notes/model.ts';
import { nameKey, pathKey } from '../../../notes/path.ts';
import { propertiesOfFacts } from '../../../stores/fact-properties.ts';
import type { StoreEntry } from '../../../stores/store.ts';
import type { IndexInput, LinkRecord } from '../../note-index.ts';
import { columnForm, indexedForm } from '../tokens.ts';
import { fileTitle, lineContext, noteTags, propertyRows, tagLineage, wordCount } from '../write/facts.ts';
import { fileKeys, keyNumber, linkKeys } from '../write/names.ts';
import type { OwnedRow } from '../write/owned-rows.ts';
import { tagLineages } from '../write/tags.ts';

/** `link.key` up to `link.context`, in the table's order. */
export type LinkRow = readonly [
  key: number,
  written: string,
  subpath: string,
  display: string | null,
  syntax: LinkRecord['syntax'],
  embed: 0 | 1,
  property: string | null,
  line: number,
  /** Where the link stands in the note's text: its line is cut from there when it is asked for. */
  start: number,
  /** Of links that stand in no text. */
  context: string | null,
];

/**
 * Everything the tables hold of one file but its id and where its links lead, so that the thread with
 * the database only has to write. Plain values: it may have been computed in another thread.
 */
export interface FileRows {
  readonly title: string;
  readonly titleKey: string;
  readonly pathKey: string;
  readonly nameKey: string;
  /** Keys under which links name the file. */
  readonly names: ReadonlySet<string>;
  /** Of a note: words, then tags, aliases and properties as JSON, and what its store keeps beside the text. */
  readonly note:
    | readonly [words: number, tags: string, aliases: string, frontmatter: string, beside: string | null]
    | undefined;
  readonly properties: readonly OwnedRow[];
  /** Of a note: tag key → spelling, undefined for a tag that is only a parent of one. */
  readonly tags: ReadonlyMap<string, string | undefined>;
  readonly links: readonly LinkRow[];
  /** Further keys of a link, by its place in `links`. */
  readonly linkKeys: readonly (readonly [link: number, key: number])[];
  readonly text: TextRows | undefined;
}

/** The text of a note or canvas, and the columns of the full-text table. */
export interface TextRows {
  /** UTF-8; both lie in one buffer that nothing else uses, so that it can be handed to another thread. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly bodyWords: Uint8Array<ArrayBuffer>;
  readonly titleWords: string;
  readonly aliasWords: string;
  readonly pathWords: string;
  readonly headingWords: string;
  readonly tagWords: string;
}

/** What the writer of an index in `dialect` stores of a file. Pure. */
function fileRows({ entry, parsed, links, text }: IndexInput, dialect: Dialect): FileRows {
  const { path } = entry;
  const aliases = parsed === undefined ? [] : aliasesOf(parsed.frontmatter);
  const tags = noteTags(entry, parsed);
  const title = fileTitle(entry, parsed);
  const kept = entry.facts ? propertiesOfFacts(entry.facts) : {};
  const frontmatter = parsed && JSON.stringify({ ...kept, ...parsed.frontmatter?.data });
  const body = parsed?.text ?? text;
  const found = parsed === undefined ? (links ?? []).map(canvasLink) : noteLinks(parsed);
  const keys = found.map(({ written, syntax }) =>
    Array.from(linkKeys(path, written, syntax, dialect), keyNumber),
  );
  return {
    title,
    titleKey: pathKey(title),
    pathKey: pathKey(path),
    nameKey: nameKey(path),
    names: fileKeys(entry, dialect, parsed, aliases),
    note: parsed && [
      wordCount(parsed),
      JSON.stringify(tags),
      JSON.stringify(aliases),
      frontmatter ?? '{}',
      besideText(entry),
    ],
    properties: propertyRows(frontmatter),
    tags: parsed === undefined ? new Map() : tagLineages(tags, tagLineage),
    links: found.map((link, at) => linkRow(link, keys[at]?.[0] ?? 0)),
    linkKeys: keys.flatMap((all, at) => all.slice(1).map((key) => [at, key] as const)),
    text: body === undefined ? undefined : textRows(entry, title, aliases, tags, parsed, body),
  };
}

/** Undefined members are left out of JSON; a file of a folder has neither. */
function besideText({ id, facts }: StoreEntry): string | null {
  return id === undefined && facts === undefined ? null : JSON.stringify({ id, facts });
}

/** The same file with its rows computed in place of what was parsed: much less to hand to another thread. */
export function preparedInput(input: IndexInput, dialect: Dialect): IndexInput {
  return { entry: input.entry, etag: input.etag, prepared: fileRows(input, dialect) };
}

/** The rows of a file, computed now unless they came with it. */
export function rowsOf(input: IndexInput, dialect: Dialect): FileRows {
  return (input.prepared as FileRows | undefined) ?? fileRows(input, dialect);
}

/** The memory of a prepared file that can be handed over instead of being copied. */
export function transferables({ prepared }: IndexInput): readonly ArrayBuffer[] {
  const text = (prepared as FileRows | undefined)?.text;
  return text === undefined ? [] : [text.body.buffer];
}

function textRows(
  { path }: StoreEntry,
  title: string,
  aliases: readonly string[],
  tags: readonly string[],
  parsed: ParsedNote | undefined,
  text: string,
): TextRows {
  const [body, bodyWords] = utf8(text, indexedForm(text));
  return {
    body,
    bodyWords,
    titleWords: indexedForm(title),
    aliasWords: columnForm(aliases),
    pathWords: indexedForm(path.replace(/\.(?:md|canvas)$/i, '')),
    headingWords: columnForm(parsed?.headings.map((heading) => heading.text) ?? []),
    tagWords: columnForm(tags),
  };
}

/** Two texts in one buffer of their own. */
function utf8(first: string, second: string): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] {
  const split = Buffer.byteLength(first);
  // Not from Node's pool, whose memory is shared, and not zeroed first.
  const bytes = Buffer.allocUnsafeSlow(split + Buffer.byteLength(second));
  const buffer = bytes.buffer as ArrayBuffer;
  bytes.write(first, 0);
  bytes.write(second, split);
  return [new Uint8Array(buffer, 0, split), new Uint8Array(buffer, split)];
}

interface FoundLink extends Omit<LinkRecord, 'source' | 'target' | 'ambiguous' | 'context'> {
  readonly start: number;
  readonly context: string | undefined;
}

/** In source order, with the line each stands in. */
function noteLinks(parsed: ParsedNote): FoundLink[] {
  return parsed.links.map((link) => ({
    written: link.target,
    subpath: link.subpath,
    display: link.display,
    syntax: link.syntax,
    embed: link.embed,
    property: link.property,
    line: link.line,
    start: link.span.start,
    context: undefined,
  }));
}

function canvasLink(link: NonNullable<IndexInput['links']>[number]): FoundLink {
  return {
    written: link.target,
    subpath: link.subpath,
    display: link.display,
    syntax: 'canvas',
    embed: link.embed,
    property: undefined,
    line: 0,
    start: 0,
    context: lineContext(link.context.slice(0, 1000).replace(/\s+/g, ' '), 0),
  };
}

function linkRow(link: FoundLink, key: number): LinkRow {
  return [
    key,
    link.written,
    link.subpath,
    link.display ?? null,
    link.syntax,
    link.embed ? 1 : 0,
    link.property ?? null,
    link.line,
    link.start,
    link.context ?? null,
  ];
}
