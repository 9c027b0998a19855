import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LinkRecord, NoteIndexReader } from '../index/note-index.ts';
import { followedSubpath, headingChain } from '../notes/links/subpath.ts';
import type { Dialect } from '../notes/model.ts';
import type { NoteView } from '../notes/note-view.ts';
import { isNotePath } from '../notes/path.ts';
import { findBlock } from '../notes/structure/blocks.ts';
import { type NoteParsing, parsedView } from './open-note.ts';

/** Parsing pauses for other requests after this long. */
const SLICE_MS = 8;

/** Those of these links whose note is there while the heading or block they name in it is not. */
export async function missingSubpaths(
  links: readonly LinkRecord[],
  reader: Pick<NoteIndexReader, 'text'>,
  parsing: NoteParsing,
): Promise<ReadonlySet<LinkRecord>> {
  const byTarget = new Map<string, LinkRecord[]>();
  for (const link of links) {
    const { target, subpath } = link;
    if (target === undefined || subpath === '' || !isNotePath(target)) continue;
    byTarget.set(target, [...(byTarget.get(target) ?? []), link]);
  }
  const missing = new Set<LinkRecord>();
  let sliceEnd = performance.now() + SLICE_MS;
  for (const [target, itsLinks] of byTarget) {
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

/** A subpath that names neither headings nor a block (a footnote) leads to its note. */
function leadsInto(note: NoteView, { subpath, syntax }: LinkRecord, dialect: Dialect): boolean {
  const meant = followedSubpath(subpath, syntax === 'canvas' ? 'wiki' : syntax, dialect);
  const namesHeading = meant.headings.some((part) => part.trim() !== '');
  if (namesHeading && headingChain(note.headings, meant) === undefined) return false;
  const id = /^#\s*\^([^#]*)/.exec(meant.rest)?.[1]?.trim();
  return id === undefined || findBlock(note, id).kind !== 'none';
}
