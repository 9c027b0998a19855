import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { etagOf } from '../../notes/etag.ts';
import type { Dialect } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { fileKindOf } from '../../notes/path.ts';
import type { StoreEntry } from '../../stores/store.ts';
import type { IndexInput, LexicalQuery, LexicalTerm } from '../note-index.ts';

/** The input for a file as the indexer would create it. */
export function fileInput(
  path: string,
  text: string,
  { dialect = 'obsidian', ...facts }: Partial<StoreEntry> & { dialect?: Dialect } = {},
): IndexInput {
  const bytes = new TextEncoder().encode(text);
  const etag = etagOf(bytes);
  const kind = fileKindOf(path);
  const entry: StoreEntry = {
    path,
    kind,
    size: bytes.length,
    mtimeMs: 1000,
    ctimeMs: 1000,
    birthtimeMs: 500,
    version: etag,
    ...facts,
  };
  return kind === 'note' ? { entry, etag, parsed: parseNote(text, { dialect }) } : { entry, etag: undefined };
}

export function inputs(files: Readonly<Record<string, string>>, dialect: Dialect = 'obsidian'): IndexInput[] {
  return Object.entries(files).map(([path, text]) => fileInput(path, text, { dialect }));
}

/** A query of plain words, all required, as the search room builds it. */
export function words(...texts: (string | LexicalTerm)[]): LexicalQuery {
  const required = texts.map((text) =>
    typeof text === 'string' ? { text, phrase: false, prefix: false } : text,
  );
  return { required, optional: [], excluded: [] };
}

/** A path for an index in a temporary folder, and a function that removes it. */
export function scratchIndex(): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-index-'));
  return { path: join(folder, 'index.db'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
