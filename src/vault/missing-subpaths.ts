import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BaseFile, namesView, parseBase } from '../formats/bases/file/base-file.ts';
import type { LinkRecord, NoteIndexReader } from '../index/note-index.ts';
import { followedSubpath, headingChain } from '../notes/links/subpath.ts';
import type { Dialect } from '../notes/model.ts';
import type { NoteView } from '../notes/note-view.ts';
import { fileKindOf, isNotePath } from '../notes/path.ts';
import { findBlock } from '../notes/structure/blocks.ts';
import { decodeText } from '../notes/text.ts';
import type { Store } from '../stores/store.ts';
import { type NoteParsing, parsedView } from './open-note.ts';

/** Time slice of parsing before other requests are served, ms. */
const SLICE_MS = 8;

/** The links whose file exists but lacks the heading, block or base view they name. */
export async function missingSubpaths(
  links: readonly LinkRecord[],
  reader: Pick<NoteIndexReader, 'text'>,
  parsing: NoteParsing,
  store: Pick<Store, 'read'>,
): Promise<ReadonlySet<LinkRecord>> {
  const byTarget = new Map<string, LinkRecord[]>();
  for (const link of links) {
    const { target, subpath } = link;
    if (target === undefined || subpath === '') continue;
    if (!isNotePath(target) && fileKindOf(target) !== 'base') continue;
    byTarget.set(target, [...(byTarget.get(target) ?? []), link]);
  }
  const missing = new Set<LinkRecord>();
  let sliceEnd = performance.now() + SLICE_MS;
  for (const [target, itsLinks] of byTarget) {
    if (fileKindOf(target) === 'base') {
      const base = await readBase(target, store);
      for (const link of itsLinks) if (base && !namesView(base, link.subpath)) missing.add(link);
      continue;
    }
    const stored = await reader.text(target);
    if (stored === undefined) continue;
    const view = await parsedView(stored.text, stored.etag, parsing);
    for (const link of itsLinks) if (!leadsInto(view, link, parsing.settings.dialect)) missing.add(link);
    if (performance.now() > sliceEnd) {
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return missing;
}

/** Undefined for a base that cannot be read: its views are unknown. */
async function readBase(path: string, store: Pick<Store, 'read'>): Promise<BaseFile | undefined> {
  try {
    const file = await store.read(path);
    const decoded = file && decodeText(file.bytes);
    return decoded?.ok ? parseBase(decoded.text, path) : undefined;
  } catch {
    return undefined;
  }
}

/** A subpath that names neither headings nor a block (a footnote) leads to the note itself. */
function leadsInto(note: NoteView, { subpath, syntax }: LinkRecord, dialect: Dialect): boolean {
  const meant = followedSubpath(subpath, syntax === 'canvas' ? 'wiki' : syntax, dialect);
  const namesHeading = meant.headings.some((part) => part.trim() !== '');
  if (namesHeading && headingChain(note.headings, meant) === undefined) return false;
  const id = /^#\s*\^([^#]*)/.exec(meant.rest)?.[1]?.trim();
  return id === undefined || findBlock(note, id).kind !== 'none';
}
