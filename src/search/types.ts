import type { ListFilter, Page } from '../index/note-index.ts';
import type { Dialect } from '../notes/model.ts';

export type SearchMode = 'lexical' | 'semantic' | 'hybrid';

export interface SearchRequest {
  readonly query: string;
  /** The language the query is written in; Obsidian's when left out. */
  readonly syntax?: 'obsidian' | 'joplin';
  /** Notes that have an id like a pattern with `*`, for languages that ask for ids. */
  readonly pathsOfId?: (pattern: string) => ReadonlySet<string>;
  readonly mode: SearchMode;
  readonly filter: ListFilter;
  readonly limit: number;
  readonly cursor?: string;
  /** How the vault's notes are written; as in Obsidian when left out. */
  readonly dialect?: Dialect;
  /** The index lacks notes at the moment: no notice may say that no note in the vault has something. */
  readonly indexIsPartial?: boolean;
}

export interface SearchHit {
  readonly path: string;
  readonly title: string;
  /** 0..1 */
  readonly score: number;
  /** With matches marked `**like this**`. */
  readonly snippet: string;
  /** 1-based, of the snippet's first line in the file as stored. */
  readonly line: number;
  /** Of the text that was searched; undefined for what has none. */
  readonly etag?: string | undefined;
  /** In a canvas: id of the node or the edge that the snippet is from. */
  readonly node?: string;
  readonly edge?: string;
  /** Heading chain above the snippet. */
  readonly headings: readonly string[];
  readonly tags: readonly string[];
  /** Of `title`, `alias`, `path`, `heading`, `tag`, `body`, `meaning`. */
  readonly matchedIn: readonly string[];
  /** Of a copy that a sync program made, the path of the original. */
  readonly copyOf?: string;
}

export interface SearchAnswer extends Page<SearchHit> {
  readonly modeUsed: SearchMode;
  /** Why the mode is not the one asked for, or that the words were relaxed or a typo was allowed. */
  readonly notice: string | undefined;
  /** Something that may be otherwise next time cut the answer short: the time was up, or a model did not answer. */
  readonly isPartial?: boolean;
}
