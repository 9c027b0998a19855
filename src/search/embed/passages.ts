import type { EmbeddableNote, PassageRecord } from '../../index/vector-index.ts';
import { etagOf } from '../../notes/etag.ts';
import type { Dialect } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { fileTitle } from '../snippet/describe-hits.ts';
import { chunkNote, passageText } from './chunks.ts';

/** A note cut into passages, with the text that is embedded for each and that text's hash. */
export interface NotePassages {
  readonly passages: readonly PassageRecord[];
  readonly texts: readonly string[];
  readonly hashes: readonly string[];
}

const encoder = new TextEncoder();

export function passagesOf(note: EmbeddableNote, dialect: Dialect): NotePassages {
  const passages = chunkNote(parseNote(note.text, { dialect }));
  const texts = embeddedTexts(note, passages);
  return { passages, texts, hashes: texts.map((each) => etagOf(encoder.encode(each))) };
}

/** What is embedded for each passage of a note. */
export function embeddedTexts(
  { text, path, title }: Pick<EmbeddableNote, 'text' | 'path' | 'title'>,
  passages: readonly PassageRecord[],
): string[] {
  const names = [fileTitle(path), title];
  return passages.map((passage) => passageText(text, names, passage));
}
