import type { NoteIndexReader } from '../index/note-index.ts';
import { openIndexReader } from '../index/sqlite/read/reader.ts';
import { inputs, scratchIndex } from '../index/sqlite/testing.ts';
import { openIndexWriter } from '../index/sqlite/write/writer.ts';
import { type LexicalSearchOptions, lexicalSearch } from './lexical/lexical-search.ts';
import type { SearchAnswer, SearchRequest } from './types.ts';

/** A real index over a few notes, searched as a session would. */
export interface SearchFixture {
  readonly reader: NoteIndexReader;
  search(
    query: string,
    request?: Partial<SearchRequest>,
    options?: LexicalSearchOptions,
  ): Promise<SearchAnswer>;
  /** Paths of the hits, best first. */
  paths(query: string, request?: Partial<SearchRequest>): Promise<string[]>;
  close(): Promise<void>;
}

export function searchFixture(files: Readonly<Record<string, string>>): SearchFixture {
  const { path, remove } = scratchIndex();
  const writer = openIndexWriter(path, { dialect: 'obsidian' });
  writer.apply(inputs(files), []);
  const reader = openIndexReader(path);
  const search: SearchFixture['search'] = (query, request = {}, options = {}) =>
    lexicalSearch(reader, { query, mode: 'lexical', filter: {}, limit: 20, ...request }, options);
  return {
    reader,
    search,
    paths: async (query, request) => (await search(query, request)).items.map((hit) => hit.path),
    close: async () => {
      await reader.close();
      writer.close();
      remove();
    },
  };
}
