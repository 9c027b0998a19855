import type { NoteIndexReader } from '../../index/note-index.ts';
import { type Mention, mentionsIn } from '../../notes/links/mentions.ts';
import { resolveLink } from '../../notes/links/resolve.ts';
import { followedSubpath, headingChain } from '../../notes/links/subpath.ts';
import type { ParsedNote } from '../../notes/model.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import { decodeText } from '../../notes/text.ts';
import type { Access } from '../access.ts';
import {
  joined,
  type LeftAlone,
  type LeftAloneList,
  mentionsElsewhere,
  NOTHING_LEFT,
} from '../left-alone.ts';
import type { VaultParts } from '../parts.ts';
import { FileTable } from './file-table.ts';

export interface RenamedIn {
  readonly path: string;
  readonly renamed: readonly RenamedHeading[];
  /** The note's bytes after the change. */
  readonly bytes: Uint8Array;
}

/**
 * Places in code, comments, queries and properties that contain a heading's old text. They are not links, so
 * they stay.
 */
export async function staleHeadings(
  { path, renamed, bytes }: RenamedIn,
  reader: NoteIndexReader,
  { settings: { dialect }, parse }: Pick<VaultParts, 'settings' | 'parse'>,
  access: Access,
): Promise<LeftAloneList> {
  const files = (await FileTable.of(reader)).seenBy(access);
  const isStale = (source: string, { syntax, target, subpath }: Mention): boolean => {
    if (subpath === '' || (syntax !== 'wiki' && syntax !== 'markdown')) return false;
    if (resolveLink(source, target, syntax, files, dialect).path !== path) return false;
    return renamed.some((heading) => {
      const meant = followedSubpath(subpath, syntax, dialect);
      const chain = headingChain(heading.outline, meant);
      if (!chain?.includes(heading.index)) return false;
      return headingChain(heading.outline, meant, heading)?.at(-1) !== chain.at(-1);
    });
  };
  const placesIn = (source: string, note: ParsedNote): Omit<LeftAlone, 'path'>[] =>
    mentionsIn(note)
      .filter((mention) => isStale(source, mention))
      .map(({ line, kind }) => ({ line, kind }));
  const own = decodeText(bytes);
  const here = own.ok ? placesIn(path, await parse(own.text)) : [];
  const wanted = {
    spellings: [...new Set(renamed.flatMap(({ from }) => [from, encodeURI(from)]))],
    isLikely: (line: string) => line.includes('#'),
    except: new Set([path]),
    placesIn,
  };
  const elsewhere = await mentionsElsewhere(wanted, reader, dialect, access);
  return joined({ ...NOTHING_LEFT, items: here.map((place) => ({ path, ...place })) }, elsewhere);
}
