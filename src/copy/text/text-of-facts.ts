import { isLecternError } from '../../errors.ts';
import {
  COMPLETED,
  joplinFacts,
  joplinTimeText,
  listedTags,
  tagTitleKey,
} from '../../notes/dialects/joplin.ts';
import { type ExportedFacts, joplinExport } from '../../notes/dialects/joplin-export.ts';
import { setProperty } from '../../notes/frontmatter/edit.ts';
import { parseFrontmatter, propertyByName } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect, Frontmatter } from '../../notes/model.ts';
import { stem } from '../../notes/path.ts';
import { applySplices } from '../../notes/splice.ts';
import { tagKey } from '../../notes/structure/tags.ts';

/**
 * Which facts are written into the front matter: `all` that Joplin's export has, or only what is `needed`
 * because neither the file nor the text states it.
 */
export type FrontMatter = 'all' | 'needed';

export interface TextOfFacts {
  readonly text: string;
  /** Properties that could not be written, because the note's own front matter cannot be edited. */
  readonly lost: readonly string[];
}

/**
 * Converts a note with facts into text in the form of Joplin's export. Existing front matter is extended, and
 * its bytes change only where the facts differ.
 *
 * @param path of the note at the destination
 * @param inline tags in the text itself
 */
export function textOfFacts(
  body: string,
  facts: ExportedFacts,
  path: string,
  { dialect, frontMatter, inline }: { dialect: Dialect; frontMatter: FrontMatter; inline: readonly string[] },
): TextOfFacts {
  const own = parseFrontmatter(body, dialect);
  const wanted = frontMatter === 'all' ? facts : needed(facts, path);
  // The export lists all tags; otherwise tags in the text are not repeated.
  const isWhole = frontMatter === 'all' && own === undefined;
  const inText = new Set(isWhole ? [] : inline.map(tagKey));
  const said = { ...wanted, tags: (facts.tags ?? []).filter((tag) => !inText.has(tagKey(tag))) };
  if (own?.kind === 'yaml') return mergedInto(body, own, said, path, dialect);
  const isNothing = Object.keys(entriesOf(said)).length === 0;
  return { text: isNothing ? body : joplinExport(said, body), lost: [] };
}

/** Times are stored by the file system, and links need no id. */
function needed(
  { id: _id, updatedMs: _updated, createdMs: _created, title, ...facts }: ExportedFacts,
  path: string,
) {
  return { ...facts, ...(title !== undefined && title !== stem(path) && title !== '' && { title }) };
}

function mergedInto(
  body: string,
  own: Frontmatter,
  wanted: ExportedFacts,
  path: string,
  dialect: Dialect,
): TextOfFacts {
  const said = joplinFacts({ path, mtimeMs: 0, birthtimeMs: 0, tags: [], frontmatter: own.data });
  const lost: string[] = [];
  let text = body;
  for (const [key, value] of Object.entries(entriesOf(wanted))) {
    if (isSaid(key, value, wanted, said, own)) continue;
    const known = new Set(said.tags.map(tagTitleKey));
    const stated = key === 'tags' ? listedTags(propertyByName(own, 'tags')?.value) : [];
    const all =
      key === 'tags'
        ? [...stated, ...(wanted.tags ?? []).filter((tag) => !known.has(tagTitleKey(tag)))]
        : value;
    try {
      text = applySplices(text, setProperty(text, dialect, propertyByName(own, key)?.key ?? key, all));
    } catch (error) {
      if (!isLecternError(error)) throw error;
      lost.push(key);
    }
  }
  return { text, lost };
}

/** Whether the note's own front matter already states a value. */
function isSaid(
  key: string,
  value: unknown,
  wanted: ExportedFacts,
  said: ReturnType<typeof joplinFacts>,
  own: Frontmatter,
): boolean {
  const isSame = (one: number, other = 0) => Math.floor(one / 1000) === Math.floor(other / 1000);
  switch (key) {
    case 'title':
      // A title that differs from the note's name is the owner's.
      return propertyByName(own, 'title') !== undefined;
    case 'updated':
      return isSame(said.updatedMs, wanted.updatedMs);
    case 'created':
      return isSame(said.createdMs, wanted.createdMs);
    case 'due':
      return isSame(said.dueMs, wanted.todo?.dueMs);
    case 'source':
      return said.sourceUrl === value;
    case COMPLETED:
      return said.isTodo && said.isCompleted === wanted.todo?.done;
    case 'latitude':
    case 'longitude':
    case 'altitude':
      return said[key] === value;
    case 'tags': {
      const known = new Set(said.tags.map(tagTitleKey));
      return (wanted.tags ?? []).every((tag) => known.has(tagTitleKey(tag)));
    }
    default:
      return propertyByName(own, key)?.value === value;
  }
}

/** Keys and values of the front matter in the order of the export; absent facts are left out. */
function entriesOf({ title, id, updatedMs, createdMs, source, author, geo, todo, tags = [] }: ExportedFacts) {
  const entries: Record<string, unknown> = {
    title,
    id,
    updated: updatedMs && joplinTimeText(updatedMs),
    created: createdMs && joplinTimeText(createdMs),
    source,
    author,
    latitude: geo?.latitude,
    longitude: geo?.longitude,
    altitude: geo?.altitude,
    [COMPLETED]: todo && (todo.done ? 'yes' : 'no'),
    due: todo?.dueMs && joplinTimeText(todo.dueMs),
    tags: tags.length > 0 ? tags : undefined,
  };
  return Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== undefined && value !== ''),
  );
}
