import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LexicalTerm, NoteIndexReader } from '../index/note-index.ts';
import type { MentionKind } from '../notes/links/mentions.ts';
import type { Dialect, ParsedNote } from '../notes/model.ts';
import { parseNote } from '../notes/parse.ts';
import { fileKindOf, isNotePath, pathKey } from '../notes/path.ts';
import { workOf } from '../notes/work.ts';
import type { Store, StoreProblem } from '../stores/store.ts';
import type { Access } from './access.ts';

/** A place that still contains the old name after a rename. */
export interface LeftAlone {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** `text`: part of a link or an address, or joined to other text. */
  readonly kind: MentionKind | 'text';
}

/** The places left unchanged, as far as they were looked for. */
export interface LeftAloneList {
  readonly items: readonly LeftAlone[];
  /** More notes contain these words than are checked. */
  readonly isPartial: boolean;
  /** Notes that cannot be read: they may contain the name too. */
  readonly unreadable: readonly string[];
}

export const NOTHING_LEFT: LeftAloneList = { items: [], isPartial: false, unreadable: [] };

/** Limits for the notes that contain a name and are checked for it: their texts together, UTF-16 units. */
const MAX_NOTES = 500;
const MAX_TEXT = 8_000_000;
/** Parsing more work than this blocks the event loop for about 60 ms, as `workOf` estimates. */
const MAX_WORK = 300_000;
/** Time slice of work before other requests are served, ms. */
const SLICE_MS = 8;
/** Most notes in another encoding that are read to look for the name. */
const MAX_UNDECODED = 50;

export interface Wanted {
  /** The name in all spellings a text may use. */
  readonly spellings: readonly string[];
  /** Whether a line that contains the name needs a closer look; without it every such line does. */
  readonly isLikely?: (line: string) => boolean;
  /** Notes that are already known. */
  readonly except: ReadonlySet<string>;
  /** Finds the places in one note. */
  readonly placesIn: (path: string, note: ParsedNote) => readonly Omit<LeftAlone, 'path'>[];
}

/** Searches the notes the caller sees whose text contains a name. */
export async function mentionsElsewhere(
  { spellings, isLikely = () => true, except, placesIn }: Wanted,
  reader: NoteIndexReader,
  dialect: Dialect,
  access: Access,
): Promise<LeftAloneList> {
  const optional = spellings.map(
    (text): LexicalTerm => ({ text, phrase: true, prefix: false, fields: ['body'] }),
  );
  const found = await reader.lexical(
    { required: [], optional, excluded: [] },
    { limit: MAX_NOTES + except.size, ...(access.filter && { visible: access.filter }) },
  );
  const keys = spellings.map(pathKey);
  const saysSo = (text: string) =>
    keys.some((key) => text.includes(key)) &&
    text.split(/[\r\n]/).some((line) => keys.some((key) => line.includes(key)) && isLikely(line));
  const items: LeftAlone[] = [];
  let isPartial = found.nextCursor !== null;
  let left = MAX_TEXT;
  let sliceEnd = performance.now() + SLICE_MS;
  for (const { path } of found.items) {
    if (!isNotePath(path) || except.has(path)) continue;
    const text = (await reader.text(path))?.text ?? '';
    left -= text.length;
    if (left < 0 || workOf(text, MAX_WORK) >= MAX_WORK) isPartial = true;
    else if (saysSo(pathKey(text)))
      for (const place of placesIn(path, parseNote(text, { dialect }))) items.push({ path, ...place });
    if (performance.now() > sliceEnd) {
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return { items: items.sort(byPlace), isPartial, unreadable: [] };
}

export function joined(...lists: readonly LeftAloneList[]): LeftAloneList {
  return {
    items: lists.flatMap(({ items }) => items).sort(byPlace),
    isPartial: lists.some(({ isPartial }) => isPartial),
    unreadable: lists.flatMap(({ unreadable }) => unreadable),
  };
}

function byPlace(a: LeftAlone, b: LeftAlone): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line;
}

/**
 * Notes and canvases whose links are unknown because they cannot be read, decoded or parsed; of those in another
 * encoding, only the ones that seem to contain the name.
 */
export async function unreadableNotes(
  {
    indexer,
    store,
  }: {
    readonly indexer: { readonly problems: readonly StoreProblem[] };
    readonly store: Pick<Store, 'read'>;
  },
  access: Access,
  spellings: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  let looks = 0;
  for (const problem of indexer.problems) {
    const { path, code } = problem;
    if (!mayHoldLinks(problem) || !access.mayRead(path)) continue;
    if (code === 'not_utf8' && looks++ < MAX_UNDECODED) {
      const bytes = (await store.read(path).catch(() => undefined))?.bytes;
      if (bytes !== undefined && !mightSay(bytes, spellings)) continue;
    }
    found.push(path);
  }
  return found.sort();
}

/** The ASCII characters of a name are the same in every encoding except UTF-16 and the like. */
function mightSay(bytes: Uint8Array, spellings: readonly string[]): boolean {
  const text = pathKey(Buffer.from(bytes).toString('latin1'));
  const parts = spellings.map((name) => pathKey(name).split(/[^\x20-\x7e]+/));
  return text.includes('\0') || parts.some((ascii) => ascii.every((part) => text.includes(part)));
}

const UNKNOWN_TEXT: ReadonlySet<StoreProblem['code']> = new Set([
  'unreadable',
  'not_utf8',
  'cloud_placeholder',
  'too_large',
  'name_not_utf8',
  'not_parsed',
]);

/** A folder that cannot be read counts: it may contain notes. */
function mayHoldLinks({ path, code }: StoreProblem): boolean {
  if (!UNKNOWN_TEXT.has(code)) return false;
  const kind = fileKindOf(path);
  return kind === 'note' || kind === 'canvas' || (code === 'unreadable' && !/\.[^/]*$/.test(path));
}
