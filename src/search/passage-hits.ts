import type { NoteIndexReader } from '../index/note-index.ts';
import type { PassageRecord, VectorIndexReader } from '../index/vector-index.ts';
import type { FusedNote } from './fusion.ts';
import { fieldOperators, fileTitle, namesMatched } from './hits.ts';
import type { Pacer } from './pacer.ts';
import type { Highlights } from './passage.ts';
import type { Normal } from './query/normal.ts';
import { makeSnippet, type Snippet } from './snippet.ts';
import type { SearchHit } from './types.ts';

/** A passage this near to the query counts as found by its meaning. */
const MEANT = 0.2;

/**
 * Fused notes as hits. The snippet is of the passage that speaks most for the note, where its words are
 * densest; `matchedIn` has `meaning` when its vector is near the query's.
 */
export async function describePassages(
  reader: NoteIndexReader,
  vectors: VectorIndexReader,
  fused: readonly FusedNote[],
  highlights: Highlights,
  root: Normal,
  pacer: Pacer,
): Promise<SearchHit[]> {
  const fields = fieldOperators(root);
  const hits: SearchHit[] = [];
  for (const { candidate, best, score } of fused) {
    if (pacer.due) await pacer.pause();
    const { note, path } = candidate;
    const [indexed, record] = await Promise.all([reader.text(path), reader.note(path)]);
    const stored = best && (await vectors.passages(note));
    // When the text is newer than its passages, the note's best place by words is shown.
    const passage = stored && stored.etag === indexed?.etag ? stored.passages[best.seq] : undefined;
    const shown = snippetOf(indexed?.text ?? '', passage, highlights);
    const title = record?.title ?? (candidate.title || fileTitle(path));
    const matchedIn = namesMatched(title, path, record, highlights, fields);
    if (shown.inHeading) matchedIn.push('heading');
    if (shown.inBody) matchedIn.push('body');
    if (best && best.meaning >= MEANT) matchedIn.push('meaning');
    hits.push({
      path,
      title,
      score: Math.round(score * 1e6) / 1e6,
      snippet: shown.snippet,
      line: shown.line,
      headings: shown.headings,
      tags: record?.tags ?? [],
      matchedIn,
    });
  }
  return hits;
}

function snippetOf(text: string, passage: PassageRecord | undefined, highlights: Highlights): Snippet {
  if (!passage) return makeSnippet(text, highlights);
  const shown = makeSnippet(text.slice(passage.start, passage.end), highlights);
  return {
    ...shown,
    line: passage.line + shown.line - 1,
    headings: chain(passage, shown.headings),
  };
}

/** Headings above the passage, then those inside it; a passage that begins with its own heading has it in both. */
function chain({ headings }: PassageRecord, inside: readonly string[]): string[] {
  for (let shared = Math.min(headings.length, inside.length); shared > 0; shared -= 1) {
    const end = headings.slice(headings.length - shared);
    if (end.every((heading, at) => heading === inside[at])) return [...headings, ...inside.slice(shared)];
  }
  return [...headings, ...inside];
}
