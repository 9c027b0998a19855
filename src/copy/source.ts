import { resolveLink } from '../notes/links/resolve.ts';
import { parseNote } from '../notes/parse.ts';
import { stem } from '../notes/path.ts';
import { decodeText } from '../notes/text.ts';
import { isAway } from '../stores/presence.ts';
import type { Store, StoredFile, StoreEntry } from '../stores/store.ts';
import { inParallel } from '../stores/turns.ts';
import { lookup } from './file-lookup.ts';
import { within } from './home.ts';
import { isLooseFilesNote } from './loose-files.ts';
import type { Forms, PlanOptions } from './plan-options.ts';
import type { NotCarried } from './report.ts';
import { factsOfText } from './text/facts-of-text.ts';

/** Title and id of a note, from the first reading. */
export interface NoteLook {
  readonly title: string;
  /** The id stated in its text. */
  readonly id: string | undefined;
}

export interface Looks {
  readonly notes: ReadonlyMap<string, NoteLook>;
  /** Paths of files that the notes link. */
  readonly leadsTo: ReadonlySet<string>;
  /** Paths of notes that are not copied. */
  readonly leftOut: ReadonlySet<string>;
  readonly notCarried: readonly NotCarried[];
  readonly remarks: readonly string[];
}

const BATCH = 32;
const AT_ONCE = 8;

/** Reads every note once: titles and links must be known before the first note is written. */
export async function looked(
  entries: readonly StoreEntry[],
  forms: Forms,
  { from, signal, onRead }: Pick<PlanOptions, 'from' | 'signal' | 'onRead'>,
): Promise<Looks> {
  const notes = new Map<string, NoteLook>();
  const leadsTo = new Set<string>();
  const leftOut = new Set<string>();
  const notCarried: NotCarried[] = [];
  const remarks: string[] = [];
  const give = (path: string, code: string, reason: string) => {
    leftOut.add(path);
    notCarried.push({ path, code, reason });
  };
  const files = lookup(entries.map(({ path, id }) => [path, [id]]));
  const wanted = entries.filter(
    ({ path, kind }) => kind === 'note' && within(from.folder, path) !== undefined,
  );
  let done = 0;
  for (let at = 0; at < wanted.length; at += BATCH) {
    signal.throwIfAborted();
    const batch = wanted.slice(at, at + BATCH);
    await readAll(
      from.store,
      batch.map(({ path }) => path),
      (path, file) => {
        onRead(++done, wanted.length);
        if (!('bytes' in file)) return give(path, file.code, file.reason);
        const decoded = decodeText(file.bytes);
        if (!decoded.ok) {
          if (forms.to.byId) give(path, 'not_utf8', 'It is not UTF-8, and a note there is text.');
          notes.set(path, { title: stem(path), id: undefined });
          return undefined;
        }
        if (forms.from.byId && isLooseFilesNote(decoded.text)) {
          leftOut.add(path);
          remarks.push(
            `${path} was made by an earlier copy, to keep files that no note links, and is left out.`,
          );
          return undefined;
        }
        const parsed = parseNote(decoded.text, forms.from);
        for (const link of parsed.links) {
          const { path: target } = resolveLink(path, link.target, link.syntax, files, forms.from.dialect);
          if (target !== undefined) leadsTo.add(target);
        }
        if (forms.from.byId) notes.set(path, { title: titleOf(file.entry), id: undefined });
        else {
          const { title, id } = factsOfText(parsed, file.entry);
          notes.set(path, { title, id });
        }
        return undefined;
      },
    );
  }
  return { notes, leadsTo, leftOut, notCarried, remarks };
}

/**
 * The title of a note of a store that keeps titles: the path without the id that distinguishes notes of the
 * same title.
 */
export function titleOf({ path, id = '', facts }: StoreEntry): string {
  if (facts?.title !== undefined) return facts.title;
  const name = stem(path);
  const mark = [` (${id.slice(0, 8)})`, ` (${id})`].find((one) => id !== '' && name.endsWith(one));
  return mark === undefined ? name : name.slice(0, -mark.length);
}

/** The error of a file that could not be read. */
interface Unread {
  readonly code: string;
  readonly reason: string;
}

async function readAll(
  store: Store,
  paths: readonly string[],
  take: (path: string, file: StoredFile | Unread) => void,
): Promise<void> {
  const read = new Map<string, StoredFile>();
  for (const file of (await store.readMany?.(paths)) ?? []) read.set(file.entry.path, file);
  await inParallel(paths, AT_ONCE, async (path) => {
    const known = read.get(path);
    take(path, known ?? (await store.read(path).catch(unread)));
  });
}

/**
 * Converts an error of a read to the form of the report.
 * @throws the error itself when the store is unreachable
 */
export function unread(error: unknown): Unread {
  if (isAway(error)) throw error;
  const { code = 'unreadable', message = String(error) } = error as { code?: string; message?: string };
  return { code, reason: message };
}
