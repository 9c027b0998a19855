import type { NoteIndexReader, PathFilter } from '../index/note-index.ts';
import type { VectorIndexReader } from '../index/vector-index.ts';
import type { Embedder } from './embed/embedder.ts';
import { PassageIndex } from './passage-index.ts';
import { type RelatedAnswer, relatedNotes } from './related.ts';
import { search } from './semantic.ts';
import type { SearchAnswer, SearchRequest } from './types.ts';

/** Everything that finds notes, over one index. */
export interface SearchEngine {
  search(
    request: SearchRequest,
    visible: PathFilter | undefined,
    signal?: AbortSignal,
  ): Promise<SearchAnswer>;
  /** @param path of an existing note, as the index spells it */
  related(path: string, limit: number, visible: PathFilter | undefined): Promise<RelatedAnswer>;
  /** Loads what the first search would otherwise wait for. */
  prepare(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param openVectors opens the vectors for reading; called with the first search that needs them
 * @param opening the configured neural model, if any; until it is there the vectors learned from the vault serve alone
 */
export function openSearchEngine(
  reader: NoteIndexReader,
  openVectors: () => VectorIndexReader,
  opening?: Promise<Embedder | undefined>,
): SearchEngine {
  let opened: PassageIndex | undefined;
  let neural: Embedder | undefined;
  void opening?.then((embedder) => {
    neural = embedder;
    if (opened && embedder) opened = new PassageIndex(opened.reader, embedder);
  });
  const passages = () => {
    opened ??= new PassageIndex(openVectors(), neural);
    return opened;
  };
  return {
    search: (request, visible, signal) =>
      search(reader, passages(), request, { ...(visible && { visible }), ...(signal && { signal }) }),
    related: (path, limit, visible) =>
      relatedNotes(reader, passages(), path, { limit, ...(visible && { visible }) }),
    async prepare() {
      await passages().spaces();
    },
    async close() {
      await opened?.reader.close();
      await neural?.close?.();
    },
  };
}
