import type { Dialect } from '../model.ts';

/**
 * The differences between note programs, as data. Where a difference is more than a value (how links resolve,
 * how inline text is parsed) the code has a table by dialect; the compiler reports every table that lacks a
 * new dialect.
 */
export interface DialectRules {
  /** `[[page|text]]`: the text after the bar is displayed. */
  readonly wikilinkText: boolean;
  /** Characters that may follow the page name in a wikilink and address a place in the page. */
  readonly subpathMarks: readonly string[];
  /** `[[^page]]` is a link to the page. */
  readonly caretBeforePage: boolean;
  /** A heading in a link is literal text, `#` included, not a chain of headings. */
  readonly exactHeadingLinks: boolean;
  /** `[text]([[page]])` is a link to the page. */
  readonly pageInDestination: boolean;
  /** A Markdown link without a leading `/` is always relative to its note's folder. */
  readonly markdownLinksFromFolder: boolean;
  /**
   * Which links a move rewrites: those that would break, or also those that would become ambiguous with a
   * longer name.
   */
  readonly relinks: 'broken' | 'doubtful';
  /** A move rewrites a wikilink that differs from the new name in case or Unicode form only. */
  readonly respellsWikilinks: boolean;
  /** Math between dollar signs is not text. */
  readonly math: boolean;
  /** `%%` starts and ends a comment. */
  readonly percentComments: boolean;
  /** `key:: value` lines at the top of a note are its properties. */
  readonly propertyLines: boolean;
  /**
   * Notes are outlines of blocks, whose ids are `id::` lines and whose first block may contain the page's own
   * children.
   */
  readonly outlines: boolean;
  /** Keywords before a block that make it a task, such as `TODO`. */
  readonly taskWords: readonly string[];
  /** A task's box may contain a word: `[TODO]`. */
  readonly taskStates: boolean;
  /** Separator of tags in one text of the `tags` property; undefined where such a text is one tag. */
  readonly tagSeparator: RegExp | undefined;
  /** An entry of `tags` with a space or comma is not a tag. */
  readonly plainTagsInYaml: boolean;
  /** Syntax for tags that a bare `#` cannot express; undefined where there is none. */
  readonly tagBrackets: { readonly open: string; readonly close: string } | undefined;
  /** Pages are addressed by name, without folder and extension. */
  readonly pages: boolean;
  /** Characters a page name cannot contain, besides those no file name can. */
  readonly notInPageNames: RegExp | undefined;
  /** The page `a/b` is stored as a file beside `a`, and a page may have another name than its file. */
  readonly pageNamesInFiles: boolean;
}

/** Logseq's task words, the last in both spellings. */
const TASK_WORDS = [
  ...['TODO', 'DOING', 'DONE', 'NOW', 'LATER', 'WAITING', 'WAIT', 'IN-PROGRESS', 'STARTED'],
  ...['CANCELED', 'CANCELLED'],
];

export const DIALECT_RULES: Readonly<Record<Dialect, DialectRules>> = {
  obsidian: {
    wikilinkText: true,
    subpathMarks: ['#'],
    caretBeforePage: false,
    exactHeadingLinks: false,
    pageInDestination: false,
    markdownLinksFromFolder: false,
    relinks: 'doubtful',
    respellsWikilinks: true,
    math: true,
    percentComments: true,
    propertyLines: false,
    outlines: false,
    taskWords: [],
    taskStates: false,
    tagSeparator: undefined,
    plainTagsInYaml: true,
    tagBrackets: undefined,
    pages: false,
    notInPageNames: undefined,
    pageNamesInFiles: false,
  },
  silverbullet: {
    wikilinkText: true,
    // `@123` and `@L1C2` are positions, `$anchor` is an anchor.
    subpathMarks: ['#', '@', '$'],
    caretBeforePage: true,
    exactHeadingLinks: true,
    pageInDestination: false,
    markdownLinksFromFolder: true,
    relinks: 'broken',
    respellsWikilinks: true,
    math: false,
    percentComments: false,
    propertyLines: false,
    outlines: false,
    taskWords: [],
    taskStates: true,
    tagSeparator: /[\s,]+/,
    plainTagsInYaml: false,
    tagBrackets: { open: '#<', close: '>' },
    pages: true,
    // Characters with another meaning in SilverBullet.
    notInPageNames: /[|@#<>$]|\[\[|\]\]|\/\/|^[.^/]|\.md$/,
    pageNamesInFiles: false,
  },
  logseq: {
    wikilinkText: false,
    subpathMarks: [],
    caretBeforePage: false,
    exactHeadingLinks: false,
    pageInDestination: true,
    markdownLinksFromFolder: false,
    relinks: 'broken',
    respellsWikilinks: false,
    math: true,
    percentComments: false,
    propertyLines: true,
    outlines: true,
    taskWords: TASK_WORDS,
    taskStates: false,
    tagSeparator: undefined,
    plainTagsInYaml: true,
    tagBrackets: { open: '#[[', close: ']]' },
    pages: true,
    notInPageNames: undefined,
    pageNamesInFiles: true,
  },
};
