import { joplinFacts, joplinFileName } from '../../notes/dialects/joplin.ts';
import { joplinExport } from '../../notes/dialects/joplin-export.ts';
import { nameOf } from '../../notes/dialects/joplin-names.ts';
import { propertyByName } from '../../notes/frontmatter/frontmatter.ts';
import { statedId } from '../../notes/links/id-links.ts';
import type { ParsedNote } from '../../notes/model.ts';
import { stem } from '../../notes/path.ts';
import type { NoteFacts, StoreEntry } from '../../stores/store.ts';

/** A note of a store that keeps text only, split into text and facts. */
export interface NoteWithFacts {
  /** The text without the front matter, if the facts contain everything in it. */
  readonly text: string;
  readonly title: string;
  /** The id stated in the note. */
  readonly id: string | undefined;
  readonly facts: NoteFacts;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Tags that contain a comma, which Joplin cannot store; they stay in the text. */
  readonly lostTags: readonly string[];
}

/**
 * Extracts the facts that a note's text states. The front matter stays in the text, byte for byte, unless
 * Joplin's export would write exactly the same for these facts.
 */
export function factsOfText(
  parsed: ParsedNote,
  { path, mtimeMs, birthtimeMs }: Pick<StoreEntry, 'path' | 'mtimeMs' | 'birthtimeMs'>,
): NoteWithFacts {
  const { frontmatter, text } = parsed;
  const said = joplinFacts({
    path,
    mtimeMs,
    // The creation time of a copied file can be later than its modification time.
    birthtimeMs: Math.min(birthtimeMs || mtimeMs, mtimeMs),
    tags: parsed.tags.map(({ name }) => name),
    frontmatter: frontmatter?.data,
  });
  const author = propertyByName(frontmatter, 'author')?.value;
  const isPlaced = said.latitude !== 0 || said.longitude !== 0 || said.altitude !== 0;
  const { latitude, longitude, altitude } = said;
  const tags = said.tags.filter((tag) => !tag.includes(','));
  const facts: NoteFacts = {
    ...(tags.length > 0 && { tags }),
    ...(said.isTodo && { todo: { done: said.isCompleted, ...(said.dueMs > 0 && { dueMs: said.dueMs }) } }),
    ...(said.sourceUrl !== '' && { sourceUrl: said.sourceUrl }),
    ...(typeof author === 'string' && author.trim() !== '' && { author: author.trim() }),
    ...(isPlaced && { geo: { latitude, longitude, altitude } }),
  };
  const id = statedId(frontmatter, text);
  const body = bodyOf(parsed, {
    ...facts,
    id,
    title: said.title,
    updatedMs: said.updatedMs,
    createdMs: said.createdMs,
  });
  // A title that would change the note's name stays in the text.
  const name = stem(path);
  const isNamedSo = nameOf(said.title) === name || joplinFileName(said.title) === name;
  return {
    text: body ?? text,
    title: isNamedSo || body !== undefined ? said.title : name,
    id,
    facts,
    createdMs: said.createdMs,
    modifiedMs: said.updatedMs,
    lostTags: said.tags.filter((tag) => tag.includes(',')),
  };
}

type Said = NoteFacts & { title: string; id: string | undefined; updatedMs: number; createdMs: number };

/** The text after front matter that equals Joplin's export; undefined for other front matter. */
function bodyOf({ frontmatter, text, bodyStart }: ParsedNote, said: Said): string | undefined {
  if (frontmatter?.kind !== 'yaml') return undefined;
  const { tags, todo, sourceUrl, author, geo, title, id, updatedMs, createdMs } = said;
  const has = (key: string) => propertyByName(frontmatter, key) !== undefined;
  // The export writes only the tags of the front matter, not inline tags.
  const stated = tags?.filter((tag) => listed(frontmatter.data.tags).includes(tag)) ?? [];
  const start = text.startsWith('\n', bodyStart) ? bodyStart + 1 : bodyStart;
  const written = joplinExport(
    {
      ...(has('title') && { title }),
      ...(has('id') && id !== undefined && { id }),
      ...(has('updated') && { updatedMs }),
      ...(has('created') && { createdMs }),
      ...(sourceUrl !== undefined && { source: sourceUrl }),
      ...(author !== undefined && { author }),
      ...(geo && { geo }),
      ...(todo && { todo }),
      tags: stated,
    },
    text.slice(start),
  );
  return has('updated') && has('created') && written === text ? text.slice(start) : undefined;
}

function listed(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
