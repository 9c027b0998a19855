import { LecternError } from '../errors.ts';
import { copyName } from '../formats/conflict-copy.ts';
import type { LinkRecord, NoteIndexReader, PageRequest } from '../index/note-index.ts';
import { fileKindOf, normalizePath } from '../notes/path.ts';
import { type Copies, conflictCopiesOf } from '../search/conflict-copies.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import type { StoredFile } from '../stores/store.ts';
import type { Access } from './access.ts';
import { changeLog } from './change-log.ts';
import { listFolders } from './folders.ts';
import { locate, statVisible } from './locate.ts';
import { missingSubpaths } from './missing-subpaths.ts';
import { JOPLIN_IDS } from './note-ids.ts';
import { canvasPath, filesOfView, inCanvases, noSuchCanvas, openCanvas } from './open-canvas.ts';
import { openStored } from './open-note.ts';
import type { VaultParts } from './parts.ts';
import { toldState } from './reindex.ts';
import { resolveVisible } from './resolve-visible.ts';
import type { IndexState, OpenedNote, SessionPage, VaultProblem, VaultSession } from './session.ts';
import { taskRows } from './task-rows.ts';
import { Places } from './view/places.ts';
import { wikilinksOf, wikilinksTo } from './wikilinks.ts';

/** The read half of a session. */
export type ReadingSession = Pick<
  VaultSession,
  | 'status'
  | 'indexState'
  | 'staleness'
  | 'untilIndexed'
  | 'open'
  | 'exists'
  | 'file'
  | 'canvas'
  | 'changedAt'
  | 'complete'
  | 'changesSince'
  | 'watch'
  | 'list'
  | 'folders'
  | 'search'
  | 'related'
  | 'backlinks'
  | 'backlinkSources'
  | 'forward'
  | 'links'
  | 'resolve'
  | 'wikilinksOf'
  | 'wikilinksTo'
  | 'matching'
  | 'unresolved'
  | 'orphans'
  | 'tags'
  | 'tagNotes'
  | 'tasks'
>;

const LINKS_AT_A_TIME = 1000;
/** How long a name that was not found may wait for the comparison of files and index, ms. */
const COMPARE_LIMIT_MS = 2000;

/**
 * Every method sees the vault through `access`; files excluded in the vault's settings stay out of lists but
 * can be opened.
 */
export function readingSession(parts: VaultParts, access: Access): ReadingSession {
  const { store, settings, indexer } = parts;
  /** Called per request: rules may change while a session is open. */
  const listed = () => parts.listFilter(access);
  const places = new Places(parts.secret, access);
  const page = (request: SessionPage): PageRequest => {
    const visible = listed();
    return { ...places.request(request), ...(visible && { visible }) };
  };

  async function index(): Promise<NoteIndexReader> {
    return parts.reader();
  }

  const indexState = () => toldState(access, indexer.state);

  /** Reads the file at exactly this path in one step, the common case. Failures are left for `find` to explain. */
  async function readExact(input: string): Promise<StoredFile | undefined> {
    const path = normalizePath(input);
    if (fileKindOf(path) !== 'note' || !access.mayRead(path)) return undefined;
    const file = await store.read(path).catch(() => undefined);
    return file?.entry.path === path ? file : undefined;
  }

  async function find(path: string) {
    const reader = async () => {
      await parts.untilIndexed();
      // The file may be newer than the previous run's index: wait briefly for the comparison.
      await indexer.compared(COMPARE_LIMIT_MS);
      return index().catch(() => undefined);
    };
    return locate(path, { store, access, reader, staleness, dialect: settings.dialect });
  }

  const staleness = () => awayNotice(indexer.absence.since, indexState()) ?? indexNotice(indexState());

  /** Copies made by sync programs name their original. */
  async function withMarks<
    Row extends { readonly path: string },
    List extends { readonly items: readonly Row[] },
  >(list: List): Promise<List & { readonly items: readonly (Row & { readonly copyOf?: string })[] }> {
    const paths = list.items.map(({ path }) => path);
    const copies = await conflictCopiesOf(await index()).among(paths, listed());
    if (copies.size === 0) return list;
    const items = list.items.map((row) => {
      const copyOf = copies.get(row.path);
      return copyOf === undefined ? row : { ...row, copyOf };
    });
    return { ...list, items };
  }

  /** Reading never waits for the index: while it is built, only unambiguous names identify a copy. */
  async function withOriginal(note: OpenedNote): Promise<OpenedNote> {
    const name = copyName(note.path);
    if (name === undefined) return note;
    if (name.isCertain) return { ...note, copyOf: name.originals[0] ?? note.path };
    if (indexer.state.state === 'building') return note;
    // A note can be read without the index.
    const marked = await withMarks({ items: [note] }).catch(() => undefined);
    return marked?.items[0] ?? note;
  }

  return {
    async status() {
      const reader = await index();
      // Read first, because counting takes time: "ready" must not accompany older counts and problems.
      const state = indexState();
      indexer.absence.since = await store.awaySince?.();
      const counts = await reader.counts(listed());
      const problems = [
        ...indexer.problems.filter((problem) => access.mayRead(problem.path)),
        ...conflictProblems(await conflictCopiesOf(reader).all(listed())),
      ].sort(byUrgency);
      return {
        name: parts.name,
        store: store.kind,
        location: store.location,
        awaySinceMs: indexer.absence.since,
        dialect: settings.dialect,
        readOnly: access.readOnly,
        index: state.state === 'ready' ? { ...state, done: counts.files, total: counts.files } : state,
        embedding: access.filter ? undefined : indexer.embedding,
        counts,
        problems: { total: problems.length, items: problems.slice(0, 20) },
      };
    },

    indexState,

    staleness,

    untilIndexed: (signal) => parts.untilIndexed(signal),

    async open(path) {
      const exact = await readExact(path);
      if (exact) return withOriginal(await openStored(exact, 'exact', parts));
      const { entry, resolvedBy } = await find(path);
      return withOriginal(await openStored(await store.read(entry.path), resolvedBy, parts));
    },

    async exists(path) {
      try {
        const { entry } = await find(path);
        const isDownloaded = !entry.isPlaceholder && !indexer.isPlaceholder(entry.path);
        return { exists: true, path: entry.path, kind: entry.kind, isDownloaded };
      } catch (error) {
        if (error instanceof LecternError && error.code === 'not_found')
          return { exists: false, path: undefined, kind: undefined, isDownloaded: false };
        throw error;
      }
    },

    async file(path, maxBytes) {
      const { entry } = await find(path);
      if (entry.size > maxBytes) {
        throw new LecternError(
          'too_large',
          `${entry.path} has ${entry.size} bytes, more than the ${maxBytes} that are read here.`,
          { details: { path: entry.path, size: entry.size, limit: maxBytes } },
        );
      }
      const read = await store.read(entry.path);
      const { bytes } = read;
      return {
        path: read.entry.path,
        kind: read.entry.kind,
        etag: etagOfFile(read),
        mtimeMs: read.entry.mtimeMs,
        bytes,
      };
    },

    async canvas(path, query) {
      const { entry } = await find(canvasPath(path)).catch(async (error: unknown) => {
        throw staleness() === undefined ? await noSuchCanvas(error, path, await index(), listed()) : error;
      });
      const canvas = await openCanvas(entry, query, parts);
      return { ...canvas, files: await filesOfView(canvas.view, await index(), access) };
    },

    async changedAt(path) {
      const entry = await statVisible(store, access, path);
      return entry && Math.max(entry.ctimeMs, entry.mtimeMs);
    },

    async complete(partial, limit) {
      return (await index()).complete(partial, limit, listed());
    },

    async changesSince(id, limit) {
      return changeLog(await index(), id, limit, places, (path) => access.mayRead(path));
    },

    watch(listener) {
      return parts.feed.subscribe((changes) => {
        const seen = changes.filter((change) => access.mayRead(change.path));
        if (seen.length > 0) listener(seen);
      });
    },

    async list(filter, sort, request) {
      return withMarks(places.page(await (await index()).list(filter, sort, page(request))));
    },

    async *matching(filter, sort) {
      yield* (await index()).facts(filter, sort, listed());
    },
    folders: () => listFolders(parts, access),

    async search(request) {
      const indexIsPartial = staleness() !== undefined;
      const { dialect } = parts.settings;
      const pathsOfId = (pattern: string) => parts.journal().ids(JOPLIN_IDS).pathsLike(pattern);
      const asked = { ...places.request(request), dialect, indexIsPartial, pathsOfId };
      const answer = places.page(await (await parts.engine()).search(asked, listed()));
      return { ...answer, items: await inCanvases(answer.items, parts) };
    },

    async related(path, limit) {
      const { entry } = await find(path);
      const answer = await withMarks(await (await parts.engine()).related(entry.path, limit, listed()));
      return { ...answer, path: entry.path };
    },

    async backlinks(path, request) {
      const { entry } = await find(path);
      const links = places.page(await (await index()).backlinks(entry.path, page(request)));
      return { ...links, path: entry.path };
    },

    async backlinkSources(path) {
      const { visible } = page({ limit: 1 });
      return access.mayRead(path) ? await (await index()).backlinkSources(path, visible) : [];
    },

    async forward(path, request) {
      const { entry } = await find(path);
      const reader = await index();
      // Resolved among the files the caller may see: a link to a hidden file looks like a broken link.
      const links = places.page(await reader.forward(entry.path, page(request)));
      const missing = await missingSubpaths(links.items, reader, parts, store);
      const items = links.items.map((link) => ({ ...link, subpathMissing: missing.has(link) }));
      return { ...links, items, path: entry.path };
    },

    async links(path) {
      if (!access.mayRead(path)) return [];
      const reader = await index();
      const links: LinkRecord[] = [];
      const all = page({ limit: LINKS_AT_A_TIME });
      let cursor: string | null | undefined;
      do {
        const found = await reader.forward(path, { ...all, ...(cursor && { cursor }) });
        links.push(...found.items);
        cursor = found.nextCursor;
      } while (cursor !== null);
      return links;
    },

    async resolve(source, target) {
      return resolveVisible(source, target, await index(), access, settings.dialect);
    },

    wikilinksOf: (source, text) => wikilinksOf(parts, access, source, text),

    wikilinksTo: (source, links) => wikilinksTo(parts, access, source, links),

    async unresolved(request) {
      return places.page(await (await index()).unresolved(page(request)));
    },

    async orphans(request) {
      return withMarks(places.page(await (await index()).orphans(page(request))));
    },

    async tags(request) {
      const asked = { ...page(request), ...(request.prefix && { prefix: request.prefix }) };
      return places.page(await (await index()).tags(asked));
    },

    async tagNotes(tag, request) {
      return withMarks(places.page(await (await index()).tagNotes(tag, page(request))));
    },

    async *tasks(filter) {
      yield* taskRows(await index(), filter, listed(), settings.dialect, parts.pacer());
    },
  };
}

/** Unreadable files first, then partly readable ones, then copies; each by path. */
function byUrgency(a: VaultProblem, b: VaultProblem): number {
  const urgency = ({ code }: VaultProblem) =>
    code === 'sync_conflict' ? 2 : code === 'unreadable_properties' ? 1 : 0;
  return urgency(a) - urgency(b) || (a.path < b.path ? -1 : 1);
}

function conflictProblems(copies: Copies): VaultProblem[] {
  return [...copies].map(([path, original]) => ({
    path,
    code: 'sync_conflict',
    message: `A copy of ${original} that a sync program made when both were changed; take over what is missing there, then delete the copy.`,
  }));
}

function awayNotice(since: number | undefined, { state, done, total }: IndexState): string | undefined {
  if (since === undefined) return undefined;
  const part = state !== 'ready' && done < total ? `, of which ${done}/${total} are indexed` : '';
  return `store: away since ${`${new Date(since).toISOString().slice(0, 19)}Z`} (the answer is as of then${part}, and nothing can be written)`;
}

function indexNotice({ state, done, total, message }: IndexState): string | undefined {
  switch (state) {
    case 'ready':
      return undefined;
    case 'checking':
      return 'index: checking which files changed since the last run (the answer is as of then)';
    case 'building': {
      const progress = total === 0 ? '' : ` ${done}/${total}`;
      return `index: building${progress} (the answer has only what is indexed so far)`;
    }
    default:
      return `index: ${message ?? 'failed'}`;
  }
}
