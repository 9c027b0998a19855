import type { HitSource, NoteIndexReader } from '../../index/note-index.ts';
import type { Evaluator } from '../lexical/evaluate.ts';
import type { RankedHit } from '../lexical/rank.ts';
import type { Pacer } from '../pacer.ts';
import type { Normal } from '../query/normal.ts';
import { fold } from '../text/fold.ts';
import { contains } from '../text/words.ts';
import type { SearchHit } from '../types.ts';
import type { Highlights } from './densest-passage.ts';
import { makeSnippet } from './snippet.ts';

/** Ranked candidates as hits: snippet, line, headings, and the fields the query matched in. */
export async function describeHits(
  reader: NoteIndexReader,
  ranked: readonly RankedHit[],
  highlights: Highlights,
  root: Normal,
  pacer: Pacer,
  evaluator: Evaluator,
): Promise<SearchHit[]> {
  const fields = fieldOperators(root);
  const sources = await reader.hitSources(ranked.map(({ hit }) => hit.path));
  const hits: SearchHit[] = [];
  for (const { hit, score, copyOf } of ranked) {
    if (pacer.due) await pacer.pause();
    const source = sources.get(hit.path) ?? {
      ...hit,
      title: hit.title || fileTitle(hit.path),
      tags: [],
      text: '',
      etag: undefined,
    };
    const within = await evaluator.place(root, { path: hit.path, text: source.text, record: undefined });
    const { snippet, line, headings, inHeading, inBody } = makeSnippet(source.text, highlights, within);
    const matchedIn = namesMatched(source, highlights, fields);
    if (inHeading) matchedIn.push('heading');
    // The index also knows compounds by other spellings (`dont`), which are not marked in the text.
    if (inBody || (matchedIn.length === 0 && highlights.needles.length > 0)) matchedIn.push('body');
    const { path, title, tags, etag } = source;
    hits.push({
      path,
      title,
      score,
      snippet,
      line,
      etag,
      headings,
      tags,
      matchedIn,
      ...(copyOf !== undefined && { copyOf }),
    });
  }
  return hits;
}

/** Of `title`, `alias`, `path`, `tag`: where the note's names hold something that is looked for. */
export function namesMatched(
  { title, path, aliases, tags }: Pick<HitSource, 'title' | 'path' | 'aliases' | 'tags'>,
  { needles, patterns }: Highlights,
  fields: ReadonlySet<string>,
): string[] {
  const matches = (text: string): boolean => {
    const folded = fold(text);
    return needles.some((each) => contains(folded, each)) || patterns.some((each) => each.test(text));
  };
  const matchedIn: string[] = [];
  if (matches(title)) matchedIn.push('title');
  if (aliases.some(matches)) matchedIn.push('alias');
  if (fields.has('path') || matches(path.replace(/\.[^./]+$/, ''))) matchedIn.push('path');
  if (fields.has('tag') || tags.some(matches)) matchedIn.push('tag');
  return matchedIn;
}

/** Fields that an operator names outside any `OR` and that therefore match in every hit. */
export function fieldOperators(root: Normal): ReadonlySet<string> {
  const fields = new Set<string>();
  const required = root.kind === 'and' ? root.parts : [root];
  for (const part of required) {
    if (part.kind !== 'literal' || part.negated || part.test.kind !== 'leaf') continue;
    const { field } = part.test;
    if (field === 'file' || field === 'path') fields.add('path');
    else if (field === 'tag') fields.add('tag');
  }
  return fields;
}

/** The file's name without `.md`, for a note that has no record. */
export function fileTitle(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
}
