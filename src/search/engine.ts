import type { NoteIndexReader, PathFilter } from '../index/note-index.ts';
import type { VectorIndexReader } from '../index/vector-index.ts';
import { stoppable } from '../stoppable.ts';
import { shareConflictCopies } from './conflict-copies.ts';
import type { Embedder } from './embed/embedder.ts';
import { type RelatedAnswer, relatedNotes } from './related.ts';
import { PassageIndex } from './semantic/passage-index.ts';
import { search } from './semantic/passage-search.ts';
import type { SearchAnswer, SearchRequest } from './types.ts';
import { WarmUp } from './warm-up.ts';

/** Everything that finds notes, over one index. */
export interface SearchEngine {
  search(
    request: SearchRequest,
    visible: PathFilter | undefined,
    signal?: AbortSignal,
  ): Promise<SearchAnswer>;
  /** @param path of an existing note, as the index spells it */
  related(
    path: string,
    limit: number,
    visible: PathFilter | undefined,
    signal?: AbortSignal,
  ): Promise<RelatedAnswer>;
  /** Loads what the first search would otherwise wait for, then starts the warm-up. */
  prepare(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param openVectors opens the vectors for reading; called with the first search that needs them
 * @param opening the configured neural model, if any; until it is open, only the vectors learned from the vault are used
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
  const warmUp = new WarmUp({
    prepare: async () => {
      const more = await reader.loadAhead();
      return (await passages().reader.loadAhead()) || more;
    },
    titles: async (most) =>
      (await reader.list({}, '-mtime', { limit: most })).items.map(({ title }) => title),
    search: async (query, nth) => {
      // A configured model may run on another computer: the warm-up sends it no queries.
      const mode = nth % 2 === 0 && (await opening) === undefined ? 'hybrid' : 'lexical';
      return search(reader, passages(), { query, mode, filter: {}, limit: 10 });
    },
  });
  const readerUntil = (signal: AbortSignal | undefined) => {
    const until = signal ? stoppable(reader, signal) : reader;
    shareConflictCopies(reader, until);
    return until;
  };
  return {
    search: async (request, visible, signal) => {
      warmUp.searched();
      const options = { ...(visible && { visible }), ...(signal && { signal }) };
      const answer = await search(readerUntil(signal), passages(), request, options);
      return request.indexIsPartial === true ? ofPartialIndex(answer) : answer;
    },
    related: (path, limit, visible, signal) =>
      relatedNotes(readerUntil(signal), passages(), path, {
        limit,
        ...(visible && { visible }),
        ...(signal && { signal }),
      }),
    async prepare() {
      await passages().spaces();
      void warmUp.start();
    },
    async close() {
      await warmUp.stop();
      await opened?.reader.close();
      await neural?.close?.();
    },
  };
}

function ofPartialIndex(answer: SearchAnswer): SearchAnswer {
  return { ...answer, notice: answer.notice?.replaceAll(/\bNo note\b/g, 'No note indexed so far') };
}
