import type { Dialect } from '../model.ts';

/**
 * What one program of notes reads and writes otherwise than the others, as facts. Where programs differ in
 * more than a fact (how links resolve, what inline text means) the code has a table by dialect of its own; a
 * new dialect is complete when the compiler finds no table without it.
 */
export interface DialectRules {
  /** `[[page|text]]`: what stands behind the bar is shown. */
  readonly wikilinkText: boolean;
  /** What may follow the page's name in a wikilink and points into the page. */
  readonly subpathMarks: readonly string[];
  /** `[[^page]]` is a link to the page. */
  readonly caretBeforePage: boolean;
  /** A heading in a link is its very text, `#` included, and not a chain of headings. */
  readonly exactHeadingLinks: boolean;
  /** `[text]([[page]])` is a link to the page. */
  readonly pageInDestination: boolean;
  /** A Markdown link without a leading `/` is always meant from its note's folder. */
  readonly markdownLinksFromFolder: boolean;
  /** Which links a move writes anew: those that would lead elsewhere, or also those that a longer name would make doubtful. */
  readonly relinks: 'broken' | 'doubtful';
  /** A move respells a wikilink that differs from the new name in case or form only. */
  readonly respellsWikilinks: boolean;
  /** Math between dollar signs is no text. */
  readonly math: boolean;
  /** `%%` comments. */
  readonly percentComments: boolean;
  /** `key:: value` lines at the top of a note are its properties. */
  readonly propertyLines: boolean;
  /** Notes are outlines of blocks, whose ids are `id::` lines and whose first block may hold the page's own children. */
  readonly outlines: boolean;
  /** Words that stand before a block and make it a task, such as `TODO`. */
  readonly taskWords: readonly string[];
  /** A task's box may hold a word: `[TODO]`. */
  readonly taskStates: boolean;
  /** Between tags in one text of the `tags` property; undefined where such a text is one tag. */
  readonly tagSeparator: RegExp | undefined;
  /** An entry of `tags` with a blank or comma is no tag. */
  readonly plainTagsInYaml: boolean;
  /** How a tag is written whose name a bare `#` cannot hold; undefined where there is none. */
  readonly tagBrackets: { readonly open: string; readonly close: string } | undefined;
  /** People speak of pages by name, without folder and ending. */
  readonly pages: boolean;
  /** What a page's name cannot hold, beside what no file name can. */
  readonly notInPageNames: RegExp | undefined;
  /** The page `a/b` is a file beside `a`, and a page may call itself otherwise than its file. */
  readonly pageNamesInFiles: boolean;
}

/** Logseq's, in both spellings of the last. */
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
    // `@123` and `@L1C2` are positions, `$anchor` an anchor.
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
    // What SilverBullet takes for something else.
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
