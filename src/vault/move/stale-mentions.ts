import type { NoteIndexReader } from '../../index/note-index.ts';
import { logseqPageName } from '../../notes/dialects/logseq-page.ts';
import { type Mention, mentionsIn } from '../../notes/links/mentions.ts';
import type { ParsedNote } from '../../notes/model.ts';
import { baseName, pathKey, stem } from '../../notes/path.ts';
import type { Access } from '../access.ts';
import { type LeftAlone, type LeftAloneList, mentionsElsewhere } from '../left-alone.ts';
import { type FileChange, wouldFollow } from './relink.ts';

/**
 * Places in a note's code, comments, queries and properties that contain the old name of a file or folder.
 * They are not links, so a move leaves them unchanged.
 *
 * @param source the note's path before the change
 */
export function stalePlaces(
  source: string,
  note: ParsedNote,
  change: FileChange,
): readonly Omit<LeftAlone, 'path'>[] {
  const stale = mentionsIn(note).filter((mention) => isStale(source, mention, change));
  return stale.map(({ line, kind }) => ({ line, kind }));
}

/** Names of moved files, searched for in notes without a link to them. */
const MAX_NAMES = 20;
const LIKELY = /\[\[|\]\(|["']|includes?\b|\b(?:path|file):/;

/** The same places in notes without a link that could mean the files. */
export async function staleElsewhere(
  except: ReadonlySet<string>,
  change: FileChange,
  reader: NoteIndexReader,
  access: Access,
): Promise<LeftAloneList> {
  const wanted = {
    spellings: spellingsOf(change),
    isLikely: (line: string) => LIKELY.test(line),
    except,
    placesIn: (path: string, note: ParsedNote) => stalePlaces(path, note, change),
  };
  const found = await mentionsElsewhere(wanted, reader, change.settings.dialect, access);
  const isCut = change.folder === undefined && change.moved.size > MAX_NAMES;
  return { ...found, isPartial: found.isPartial || isCut };
}

/** Spellings by which a text may name the moved files. */
export function spellingsOf({
  folder,
  moved,
  settings,
}: Pick<FileChange, 'folder' | 'moved' | 'settings'>): string[] {
  const files = [...moved.keys()].slice(0, MAX_NAMES);
  const names = folder ? [baseName(folder.from)] : files.map(stem);
  const pages = settings.dialect === 'logseq' && !folder ? files.map(logseqPageName) : [];
  return [...new Set([...names, ...pages, ...names.map(encodeURI)])];
}

function isStale(source: string, { syntax, target }: Mention, change: FileChange): boolean {
  if (target === '') return false;
  const { folder } = change;
  const places = folder ? [[`${folder.from}/`, `${folder.to}/`] as const] : [...change.moved];
  if (syntax === 'part') return places.some(([from, to]) => isPartOf(target, from) && !isPartOf(target, to));
  if (syntax === 'path') {
    const key = pathKey(target.replace(/^\//, '').replace(/\/$/, ''));
    if (places.some(([from]) => names(key, pathKey(from).replace(/\/$/, '')))) return true;
  }
  return wouldFollow(source, target, syntax === 'markdown' ? 'markdown' : 'wiki', change);
}

function isPartOf(part: string, path: string): boolean {
  return pathKey(path).includes(pathKey(part));
}

/** The path itself, the path without its extension, or a path inside it. */
function names(key: string, path: string): boolean {
  return key === path || `${key}.md` === path || key.startsWith(`${path}/`);
}
