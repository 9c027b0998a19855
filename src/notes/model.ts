/**
 * The result of parsing a note. All offsets are UTF-16 indices into `text`, the decoded source exactly as
 * stored (BOM and line endings included), half-open `[start, end)`. Lines are 1-based.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How links, tags and properties are written in this vault. */
export type Dialect = 'obsidian' | 'silverbullet' | 'logseq';

export interface ParseOptions {
  readonly dialect: Dialect;
}

export interface ParsedNote {
  readonly text: string;
  /** Offset of the first character after the front matter block (after its closing line's EOL), or after the BOM. */
  readonly bodyStart: number;
  readonly frontmatter: Frontmatter | undefined;
  readonly headings: readonly Heading[];
  readonly blocks: readonly Block[];
  /** In source order, links in properties first. */
  readonly links: readonly Link[];
  /** In source order, tags in properties first. Repeats are kept. */
  readonly tags: readonly Tag[];
  readonly tasks: readonly Task[];
  /** Code, math, comments and HTML: spans without headings, links, tags or tasks. Sorted, disjoint. */
  readonly opaque: readonly Span[];
}

/** The parts of a note needed to find a heading or a section. */
export type NoteStructure = Pick<ParsedNote, 'text' | 'headings'>;

/** The property block: `---` YAML, or in a Logseq page the `key:: value` lines of the first block. */
export interface Frontmatter {
  readonly kind: 'yaml' | 'logseq';
  /** Whole block, fences and final EOL included. */
  readonly span: Span;
  /** The text between the fences. */
  readonly contentSpan: Span;
  /** In source order. Empty when `problems` has an error that stops reading. */
  readonly properties: readonly Property[];
  /** Plain JSON-like values by key as written, first spelling wins. Dates stay strings. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly problems: readonly FrontmatterProblem[];
}

export interface Property {
  readonly key: string;
  readonly keySpan: Span;
  /** The value as written, without trailing comment or EOL; empty span when the value is empty. */
  readonly valueSpan: Span;
  /** The whole pair: from the start of the key's line to the end of the value's last line, EOL included. */
  readonly span: Span;
  readonly value: unknown;
}

export interface FrontmatterProblem {
  /** `error` = unreadable, writes to properties are refused; `warning` = readable, but probably not as intended. */
  readonly severity: 'error' | 'warning';
  /** e.g. `duplicate_key`, `tab_indent`, `not_a_map`, `unquoted_wikilink`, `template_placeholder`. */
  readonly code: string;
  readonly message: string;
  readonly line: number;
}

export interface Heading {
  readonly level: 1 | 2 | 3 | 4 | 5 | 6;
  /** Raw source between the markers: `**Bold** [[x]]` stays as written. */
  readonly text: string;
  readonly textSpan: Span;
  /** The heading's line or lines (setext has two), without the final EOL. */
  readonly span: Span;
  readonly line: number;
  readonly style: 'atx' | 'setext';
}

/** A block with an id (`^id`, or `id:: uuid` in Logseq). */
export interface Block {
  readonly id: string;
  /** The content the id addresses, without the id marker. */
  readonly span: Span;
  /** `^id` itself. */
  readonly idSpan: Span;
  /** `inline` = at the end of the block's own line, `own-line` = after a blank line below it. */
  readonly placement: 'inline' | 'own-line';
  readonly line: number;
}

export interface Link {
  /** `block-ref` is Logseq's `((uuid))`: `target` is the uuid. `tag-ref` is Logseq's `#Page`. */
  readonly syntax: 'wiki' | 'markdown' | 'reference' | 'block-ref' | 'tag-ref';
  readonly embed: boolean;
  /** Key path (`related.0`) when the link is in a property. */
  readonly property: string | undefined;
  /** Decoded path part: no subpath, no display text, percent-decoded, `\|` unescaped. Empty = this note. */
  readonly target: string;
  /** `#Heading`, `#A#B`, `#^block` decoded, or empty. */
  readonly subpath: string;
  /** Display text as written, or undefined when there is none. */
  readonly display: string | undefined;
  /** The whole link expression. For `reference` the use, not the definition. */
  readonly span: Span;
  /**
   * The raw path part; the only bytes a move rewrites besides `displaySpan`. In a reference link it is in the
   * definition.
   */
  readonly targetSpan: Span;
  /** The raw subpath with its `#`, empty span at `targetSpan.end` when there is none. */
  readonly subpathSpan: Span;
  readonly displaySpan: Span | undefined;
  /** Markdown destination written in angle brackets. */
  readonly angle: boolean;
  readonly line: number;
}

export interface Tag {
  /** Without `#`, as written. */
  readonly name: string;
  /** The name only, without `#`. */
  readonly span: Span;
  readonly property: string | undefined;
  readonly line: number;
}

export interface Task {
  /**
   * The one character between the brackets (a code point), `' '` = open; in SilverBullet it may be a word, and in
   * Logseq it is also the word before the text, such as `TODO`.
   */
  readonly status: string;
  readonly statusSpan: Span;
  /** The text after `] ` or the word, to the end of the line. */
  readonly text: string;
  readonly span: Span;
  readonly line: number;
}
