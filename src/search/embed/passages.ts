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

export function passagesOf({ text, path, title }: EmbeddableNote, dialect: Dialect): NotePassages {
  const passages = chunkNote(parseNote(text, { dialect }));
  const names = [fileTitle(path), title];
  const texts = passages.map((passage) => passageText(text, names, passage));
  return { passages, texts, hashes: texts.map((each) => etagOf(encoder.encode(each))) };
}
