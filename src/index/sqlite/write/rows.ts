import { aliasesOf } from '../../../notes/frontmatter/frontmatter.ts';
import type { Dialect, ParsedNote } from '../../../notes/model.ts';
import { nameKey, pathKey } from '../../../notes/path.ts';
import { propertiesOfFacts } from '../../../stores/fact-properties.ts';
import type { StoreEntry } from '../../../stores/store.ts';
import type { IndexInput, LinkRecord } from '../../note-index.ts';
import { columnForm, indexedForm } from '../tokens.ts';
import { fileTitle, lineContext, noteTags, propertyRows, tagLineage, wordCount } from './facts.ts';
import { fileKeys, keyNumber, linkKeys } from './names.ts';
import type { OwnedRow } from './owned-rows.ts';
import { tagLineages } from './tags.ts';

/** The columns of `link` from `key` to `context`, in the table's order. */
export type LinkRow = readonly [
  key: number,
  written: string,
  subpath: string,
  display: string | null,
  syntax: LinkRecord['syntax'],
  embed: 0 | 1,
  property: string | null,
  line: number,
  /** Offset of the link in the note's text, UTF-16 code units, from which its line is cut on demand. */
  start: number,
  /** The context of a link that is not in the file's text (canvas); null for others. */
  context: string | null,
];

/**
 * All table rows of one file except its id and its links' targets, so that the database's thread only writes.
 * They are plain values, which another thread may compute.
 */
export interface FileRows {
  readonly title: string;
  readonly titleKey: string;
  readonly pathKey: string;
  readonly nameKey: string;
  /** Name keys of the file, by which links refer to it. */
  readonly names: ReadonlySet<string>;
  /** A note's word count, then tags, aliases, properties and the store's own data as JSON. */
  readonly note:
    | readonly [words: number, tags: string, aliases: string, frontmatter: string, beside: string | null]
    | undefined;
  readonly properties: readonly OwnedRow[];
  /** A note's tag keys → spelling; undefined for a tag that is only the parent of one. */
  readonly tags: ReadonlyMap<string, string | undefined>;
  readonly links: readonly LinkRow[];
  /** Additional keys of a link, by its index in `links`. */
  readonly linkKeys: readonly (readonly [link: number, key: number])[];
  readonly text: TextRows | undefined;
}

/** The text of a note or canvas, and the columns of the full-text table. */
export interface TextRows {
  /** UTF-8. Both share one buffer that nothing else uses, so that it can be transferred to another thread. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly bodyWords: Uint8Array<ArrayBuffer>;
  readonly titleWords: string;
  readonly aliasWords: string;
  readonly pathWords: string;
  readonly headingWords: string;
  readonly tagWords: string;
}

/** Computes the rows of a file for an index in `dialect`. Pure. */
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

/** The store's id and facts as JSON; null for a file without, as in a folder store. */
function besideText({ id, facts }: StoreEntry): string | null {
  return id === undefined && facts === undefined ? null : JSON.stringify({ id, facts });
}

/** The input with computed rows instead of the parsed note, which is much smaller to send to another thread. */
export function preparedInput(input: IndexInput, dialect: Dialect): IndexInput {
  return { entry: input.entry, etag: input.etag, prepared: fileRows(input, dialect) };
}

/** The rows of a file: those prepared with the input, or else computed now. */
export function rowsOf(input: IndexInput, dialect: Dialect): FileRows {
  return (input.prepared as FileRows | undefined) ?? fileRows(input, dialect);
}

/** The buffers of a prepared file that can be transferred to another thread instead of copied. */
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

/** Encodes two texts in one buffer that nothing else uses. */
function utf8(first: string, second: string): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] {
  const split = Buffer.byteLength(first);
  // Not from Node's shared pool, and not zeroed first.
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

/** The links of a note, in source order. */
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
