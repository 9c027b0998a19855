import { LecternError } from '../../src/errors.ts';
import { type CanvasQuery, viewCanvas } from '../../src/formats/canvas/view.ts';
import type { LinkRecord, ListFilter, NoteRecord, Page } from '../../src/index/note-index.ts';
import { viewOf } from '../../src/notes/note-view.ts';
import { parseNote } from '../../src/notes/parse.ts';
import type { SearchAnswer, SearchRequest } from '../../src/search/types.ts';
import { NO_CONFIGURATION } from '../../src/vault/configuration.ts';
import type {
  Actor,
  FailedCall,
  OpenedNote,
  Refusal,
  SentToModel,
  SessionPage,
  VaultSession,
  VaultStatus,
} from '../../src/vault/session.ts';
import type { WritingSession } from '../../src/vault/write/types.ts';

/** Ids are kept by a journal, folders by a store and tasks by an index, which there are none of. */
type ReadingSession = Omit<
  VaultSession,
  keyof WritingSession | 'ids' | 'folders' | 'wikilinksOf' | 'wikilinksTo' | 'tasks'
>;

const MTIME = Date.UTC(2026, 4, 3, 12, 0, 0);

/**
 * A vault session over a few notes in memory, for tests of what stands above the vault. Links
 * resolve by file name alone and search finds substrings: the real rules have tests of their own.
 */
export class MemorySession implements ReadingSession {
  readonly keepsFacts = false;
  readonly actor: Actor = { kind: 'mcp', name: 'test', session: 'test' };
  /** What `staleness()` answers. */
  stale: string | undefined;
  /** The last request as it arrived, for tests of what an operation asks for. */
  lastFilter: ListFilter | undefined;
  lastPage: SessionPage | undefined;
  readonly #notes: ReadonlyMap<string, OpenedNote>;

  constructor(files: Readonly<Record<string, string>>) {
    this.#notes = new Map(Object.entries(files).map(([path, text]) => [path, opened(path, text)]));
  }

  /** For operations that only read: there is nothing to write to. */
  asSession(): VaultSession {
    return this as unknown as VaultSession;
  }

  until(): VaultSession {
    return this.asSession();
  }

  as(): VaultSession {
    return this.asSession();
  }

  /** What the audit was told. */
  readonly failures: FailedCall[] = [];

  failed(call: FailedCall): void {
    this.failures.push(call);
  }

  /** What the audit was told that was sent to a language model. */
  readonly requests: (SentToModel & { readonly tool: string })[] = [];

  sent(tool: string, request: SentToModel): void {
    this.requests.push({ tool, ...request });
  }

  async refusals(): Promise<readonly Refusal[]> {
    return [];
  }

  indexState() {
    return { state: 'ready' as const, done: this.#notes.size, total: this.#notes.size, message: undefined };
  }

  staleness(): string | undefined {
    return this.stale;
  }

  async untilIndexed(): Promise<void> {}

  places() {
    return {
      prompts: 'Prompts',
      dailyNote: () => 'Daily/Today.md',
      newNotes: '',
      templates: { folder: '', fill: (text: string) => text },
    };
  }

  readonly configuration = NO_CONFIGURATION;

  async replayWrite<T>(
    _key: string,
    _tool: string,
    _input: unknown,
    work: (session: VaultSession) => Promise<T>,
  ): Promise<T> {
    return await work(this as unknown as VaultSession);
  }

  async replayRead<T>(
    _tool: string,
    _input: unknown,
    work: (session: VaultSession) => Promise<T>,
  ): Promise<T> {
    return await work(this as unknown as VaultSession);
  }

  async status(): Promise<VaultStatus> {
    return {
      name: 'memory',
      store: 'memory',
      location: 'memory',
      awaySinceMs: undefined,
      dialect: 'obsidian',
      readOnly: false,
      index: { state: 'ready', done: this.#notes.size, total: this.#notes.size, message: undefined },
      embedding: { state: 'idle', model: undefined, done: 0, total: 0, message: undefined },
      counts: {
        notes: this.#notes.size,
        files: this.#notes.size,
        links: 0,
        unresolved: 0,
        tags: 0,
        words: 0,
        bytes: 0,
      },
      problems: { total: 1, items: [{ path: 'Locked.md', code: 'unreadable', message: 'may not be read' }] },
    };
  }

  async open(path: string): Promise<OpenedNote> {
    const exact = this.#notes.get(path);
    if (exact !== undefined) return exact;
    const extended = this.#notes.get(`${path}.md`);
    if (extended !== undefined) return { ...extended, resolvedBy: 'extension' };
    throw new LecternError('not_found', `There is no note '${path}'.`, {
      details: { path, suggestions: [...this.#notes.keys()].slice(0, 3) },
      next: 'Use one of the suggestions, or find the note with vault_search.',
    });
  }

  async exists(path: string) {
    const found = this.#notes.get(path);
    return found === undefined
      ? { exists: false, path: undefined, kind: undefined, isDownloaded: false }
      : { exists: true, path: found.path, kind: 'note' as const, isDownloaded: true };
  }

  async reindex(): Promise<void> {}

  async related(path: string) {
    return { path: (await this.open(path)).path, items: [], notice: undefined };
  }

  async file(path: string, maxBytes: number) {
    const { path: found, etag, mtimeMs, parsed } = await this.open(path);
    const bytes = Buffer.from(parsed.text);
    if (bytes.length > maxBytes) throw new LecternError('too_large', 'The note is too large.');
    return { path: found, kind: 'note' as const, etag, mtimeMs, bytes };
  }

  async canvas(path: string, query: CanvasQuery) {
    const { path: found, etag, size, mtimeMs, parsed } = await this.open(path);
    return { path: found, etag, size, mtimeMs, view: viewCanvas(parsed.text, query), files: new Map() };
  }

  async changedAt(path: string): Promise<number | undefined> {
    return this.#notes.get(path)?.mtimeMs;
  }

  async complete(partial: string, limit: number): Promise<readonly string[]> {
    return [...this.#notes.keys()].filter((path) => path.includes(partial)).slice(0, limit);
  }

  async changesSince() {
    return { changes: [], next: { id: '-0', number: 0 }, more: false, reset: false };
  }

  /** Nothing ever changes here. */
  watch(): () => void {
    return () => {};
  }

  async list(filter: ListFilter, _sort: string, page: SessionPage): Promise<Page<NoteRecord>> {
    this.lastFilter = filter;
    return this.#page([...this.#notes.values()].map(record), page);
  }

  async *matching(): AsyncGenerator<readonly NoteRecord[]> {
    yield [...this.#notes.values()].map(record);
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    this.lastFilter = request.filter;
    const hits = [...this.#notes.values()].flatMap((note) => {
      const at = note.parsed.text.indexOf(request.query);
      if (at === -1) return [];
      const line = note.parsed.text.slice(0, at).split('\n').length;
      const snippet = note.parsed.text.slice(at, at + 400).replace(request.query, `**${request.query}**`);
      const tags = note.parsed.tags;
      return [
        {
          path: note.path,
          title: note.title,
          score: 0.8149,
          snippet,
          line,
          headings: [],
          tags,
          matchedIn: ['body'],
        },
      ];
    });
    return { ...this.#page(hits, request), modeUsed: 'lexical', notice: undefined };
  }

  async backlinkSources(path: string) {
    const sources = this.#links().flatMap(({ source, target }) => (target === path ? [source] : []));
    return [...new Set(sources)].sort();
  }

  async backlinks(path: string, page: SessionPage) {
    const { path: target } = await this.open(path);
    return {
      ...this.#page(
        this.#links().filter((link) => link.target === target),
        page,
      ),
      path: target,
    };
  }

  async links(path: string) {
    return (await this.forward(path, { limit: 1000 })).items;
  }

  async resolve(_source: string, target: string) {
    return [...this.#notes.keys()].find(
      (path) => path === target || path.replace(/^.*\//, '') === `${target}.md`,
    );
  }

  async forward(path: string, page: SessionPage) {
    const { path: source } = await this.open(path);
    return {
      ...this.#page(
        this.#links()
          .filter((link) => link.source === source)
          .map((link) => ({ ...link, subpathMissing: false })),
        page,
      ),
      path: source,
    };
  }

  async unresolved(page: SessionPage) {
    const lost = this.#links().filter((link) => link.target === undefined);
    const rows = lost.map(({ written, source, line }) => ({
      written,
      count: 1,
      sources: [{ path: source, line }],
    }));
    return this.#page(rows, page);
  }

  async orphans(page: SessionPage): Promise<Page<NoteRecord>> {
    const linked = new Set(
      this.#links().flatMap((link) => (link.target === undefined ? [] : [link.source, link.target])),
    );
    return this.#page([...this.#notes.values()].filter((note) => !linked.has(note.path)).map(record), page);
  }

  async tags(page: SessionPage & { prefix?: string }) {
    const names = [...new Set([...this.#notes.values()].flatMap((note) => note.parsed.tags))];
    const rows = names
      .filter((tag) => tag.startsWith(page.prefix ?? ''))
      .map((tag) => ({ tag, notes: 1, notesNested: 1 }));
    return this.#page(rows, page);
  }

  async tagNotes(tag: string, page: SessionPage): Promise<Page<NoteRecord>> {
    const tagged = [...this.#notes.values()].map(record).filter((note) => note.tags.includes(tag));
    return this.#page(tagged, page);
  }

  #links(): LinkRecord[] {
    return [...this.#notes.values()].flatMap((note) =>
      parseNote(note.parsed.text, { dialect: 'obsidian' }).links.map((link) => ({
        source: note.path,
        target: [...this.#notes.keys()].find((path) => path.endsWith(`${link.target}.md`)),
        written: link.target,
        subpath: link.subpath,
        display: link.display,
        syntax: link.syntax,
        embed: link.embed,
        property: link.property,
        line: link.line,
        context: note.parsed.text.split('\n')[link.line - 1] ?? '',
        ambiguous: false,
      })),
    );
  }

  #page<T>(items: readonly T[], page: SessionPage): Page<T> {
    this.lastPage = page;
    const start = Number(page.cursor ?? 0);
    const end = start + page.limit;
    return {
      items: items.slice(start, end),
      total: items.length,
      nextCursor: end < items.length ? String(end) : null,
    };
  }
}

function opened(path: string, text: string): OpenedNote {
  return {
    path,
    etag: '0123456789abcdef',
    size: Buffer.byteLength(text),
    mtimeMs: MTIME,
    birthtimeMs: MTIME,
    title: path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, ''),
    parsed: viewOf(parseNote(text, { dialect: 'obsidian' })),
    resolvedBy: 'exact',
  };
}

function record(note: OpenedNote): NoteRecord {
  const { path, title, size, etag, mtimeMs, birthtimeMs } = note;
  const tags = note.parsed.tags;
  return {
    path,
    kind: 'note',
    title,
    size,
    mtimeMs,
    birthtimeMs,
    etag,
    version: etag,
    tags,
    aliases: [],
    words: 0,
    frontmatter: note.parsed.frontmatter?.data ?? {},
  };
}
