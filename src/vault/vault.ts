import { randomBytes } from 'node:crypto';
import { isLecternError, LecternError } from '../errors.ts';
import { dailyNotePath } from '../formats/daily-notes.ts';
import { fillTemplate } from '../formats/template.ts';
import type { NoteIndexReader, PathFilter } from '../index/note-index.ts';
import type { Journal, RetentionLimits } from '../journal/journal.ts';
import type { WriteLock } from '../journal/lock.ts';
import { stem } from '../notes/path.ts';
import type { SearchEngine } from '../search/engine.ts';
import { Pacer } from '../search/pacer.ts';
import { Access, type AccessRules } from './access.ts';
import { Auditor } from './audit.ts';
import { NO_CONFIGURATION } from './configuration.ts';
import type { ChangeFeed } from './events.ts';
import { parsedNote } from './large/note-worker.ts';
import type { VaultAdapters, VaultParts } from './parts.ts';
import { readingSession } from './reading.ts';
import { RecentViews } from './recent-views.ts';
import { reindex, toldState } from './reindex.ts';
import { repeatableWriting } from './repeatable.ts';
import { Replays } from './replay.ts';
import type { Actor, VaultPlaces, VaultSession } from './session.ts';
import { sessionIds } from './session-ids.ts';
import { DEFAULT_PLACES, type PlaceRules, type VaultSettings } from './settings.ts';
import { partsUntil } from './until.ts';
import { readableWhileAway } from './while-away.ts';
import type { RepeatableCall } from './write/repeated.ts';
import { VaultWriter } from './write/writer.ts';
import { writingSession } from './writing.ts';

const PRUNE_EVERY_MS = 3600_000;

/** How long an answer may wait for the index file to appear right after start, ms. */
const OPEN_LIMIT_MS = 20_000;
/** How long an answer may wait for an index that is being built, ms. */
const BUILD_LIMIT_MS = 2000;

/** A vault: a store, an index, a journal and access rules, opened once and used through sessions. */
export class Vault {
  readonly #parts: VaultParts;
  #reader: Promise<NoteIndexReader> | undefined;
  #engine: Promise<SearchEngine> | undefined;
  #journal: { journal: Journal; lock: WriteLock } | undefined;
  #writer: Promise<VaultWriter> | undefined;
  readonly #auditor: Auditor;
  #kept: Uint8Array | undefined;
  #closed = false;
  #pruning: NodeJS.Timeout | undefined;
  #rules: AccessRules;
  #places: PlaceRules;

  constructor(adapters: VaultAdapters) {
    this.#rules = adapters.rules;
    this.#places = adapters.places ?? DEFAULT_PLACES;
    this.#parts = {
      ...adapters,
      reader: async () => {
        await adapters.indexer.caughtUp();
        return this.#openReader();
      },
      engine: async () => {
        await adapters.indexer.caughtUp();
        return this.#openEngine();
      },
      untilIndexed: (signal) => this.#untilIndexed(signal),
      journal: () => this.#openJournal().journal,
      parse: (text) => parsedNote(text, adapters.settings.dialect, adapters.largeNotes),
      pacer: () => new Pacer(Number.POSITIVE_INFINITY),
      readable: readableWhileAway(adapters.store, () => this.#openReader(), adapters.indexer.absence),
      secret: () => this.#secret(),
      replays: new Replays(() => this.#openJournal().journal),
      views: new RecentViews(),
      writer: () => this.#openWriter(),
      listFilter: (access) => listFilter(access, adapters.settings),
    };
    this.#auditor = new Auditor({
      log: adapters.audit,
      journal: () => this.#openJournal().journal,
      warn: (message) => adapters.log('warn', message),
    });
    adapters.feed.subscribe(() => this.#parts.replays.changed());
  }

  get feed(): ChangeFeed {
    return this.#parts.feed;
  }

  /** Resolves when the index has caught up with the store for the first time. */
  indexed(): Promise<void> {
    return this.#parts.indexer.ready();
  }

  /** The vault as one caller sees it; `narrowing` adds the caller's own rules to the owner's. */
  session(actor: Actor, narrowing: readonly AccessRules[] = []): VaultSession {
    return this.#session(actor, new Access([() => this.#rules, ...narrowing]));
  }

  /**
   * @param signal of the one call the session is for
   * @param call the same call, where it may be repeated
   */
  #session(actor: Actor, access: Access, signal?: AbortSignal, call?: RepeatableCall): VaultSession {
    const parts = signal === undefined ? this.#parts : partsUntil(this.#parts, signal);
    const reading = { ...parts, store: parts.readable };
    const session: VaultSession = {
      actor,
      keepsFacts: parts.store.capabilities.facts,
      as: (tool) => this.#session({ ...actor, tool }, access, signal, call),
      until: (ending) => this.#session(actor, access, ending, call),
      failed: (call) => this.#auditor.failed(actor, access, call),
      sent: (tool, request) => this.#auditor.sent(actor, tool, request),
      refusals: async (limit) =>
        this.#auditor.refusals(limit, access.filter === undefined ? undefined : actor.session),
      replayWrite: (key, tool, input, work) =>
        this.#parts.replays.write(
          key,
          { tool, input, caller: actor.name },
          (repeatable) => work(this.#session(actor, access, signal, repeatable)),
          signal,
        ),
      replayRead: (tool, input, work) =>
        // With other vectors, the same search by meaning is a different search.
        this.#parts.replays.read(
          {
            tool,
            input,
            // A session may be asked again under other rules.
            caller: `${actor.session}\0${access.filter?.key ?? ''}`,
            state: this.#parts.indexer.embedding,
          },
          (drop) => work(noticingPartial(session, drop)),
        ),
      places: () => this.#placesNow(),
      ids: (scheme) => sessionIds(reading, access, scheme),
      configuration: this.#auditor.watching(this.#parts.configuration?.(actor) ?? NO_CONFIGURATION, actor),
      reindex: (progress, signal) => {
        const { indexer } = this.#parts;
        return reindex(
          { rebuild: () => indexer.rebuild(), state: () => toldState(access, indexer.state) },
          progress,
          signal,
        );
      },
      ...readingSession(reading, access),
      ...(call ? repeatableWriting(parts, access, actor, call) : writingSession(parts, access, actor)),
    };
    return session;
  }

  /**
   * Changes the owner's rules for every session, open ones included, from its next call on.
   * @throws LecternError `invalid_input` for unusable rules; the previous ones then stay in force
   */
  setRules(rules: AccessRules): void {
    new Access([rules]);
    this.#rules = rules;
    this.#parts.indexer.teach(rules.read).catch(() => {}); // It has stopped, and said so.
    // Answers given under other rules must not be repeated.
    this.#parts.replays.changed();
  }

  /** Changes where notes of a kind are stored, for open sessions too. */
  setPlaces(places: PlaceRules): void {
    this.#places = places;
  }

  #placesNow(): VaultPlaces {
    const { prompts, dailyNotes } = this.#places;
    const daily = this.#parts.settings.dailyNotes ?? dailyNotes;
    const dailyNote = (day: Date) => dailyNotePath(daily, day);
    const { newNoteFolder: newNotes, templates: own } = this.#parts.settings;
    const templates = {
      folder: own.folder,
      fill: (text: string, title: string) => {
        const now = new Date();
        return fillTemplate(text, { ...own, title, day: now, now });
      },
    };
    if (daily.template === undefined) return { prompts, dailyNote, newNotes, templates };
    const { path, ...formats } = daily.template;
    const fill = (text: string, day: Date) =>
      fillTemplate(text, { ...formats, title: stem(dailyNote(day)), day, now: new Date() });
    return { prompts, dailyNote, newNotes, templates, dailyTemplate: { path, fill } };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#auditor.flush();
    clearInterval(this.#pruning);
    const reader = this.#reader;
    this.#reader = Promise.reject(new LecternError('unavailable', 'The vault is closed.'));
    this.#reader.catch(() => {});
    await this.#journal?.lock.close();
    await this.#parts.indexer.caughtUp();
    await this.#parts.indexer.close();
    this.#journal?.journal.close();
    await this.#parts.audit?.flush();
    await (await this.#engine?.catch(() => undefined))?.close();
    await (await reader?.catch(() => undefined))?.close();
    await this.#parts.largeNotes?.close();
    await this.#parts.store.close();
  }

  /** An existing index is opened at once; a new one, or one that must be rebuilt, when the indexer has created it. */
  async #openIndex(): Promise<NoteIndexReader> {
    const { openReader, indexer } = this.#parts;
    try {
      const reader = openReader();
      if (await reader.isComplete().catch(() => false)) indexer.foundComplete();
      return reader;
    } catch (error) {
      if (!isLecternError(error) || error.code !== 'unavailable') throw error;
    }
    await withLimit(indexer.opened(), OPEN_LIMIT_MS);
    return openReader();
  }

  #openJournal(): { journal: Journal; lock: WriteLock } {
    this.#journal ??= this.#parts.openJournal();
    return this.#journal;
  }

  /** The secret is stored in the journal, so that it survives a restart; without a journal, reading still works. */
  #secret(): Uint8Array {
    try {
      this.#kept ??= this.#openJournal().journal.secret();
    } catch {
      this.#kept ??= randomBytes(32);
    }
    return this.#kept;
  }

  #openWriter(): Promise<VaultWriter> {
    const { store, indexer, log } = this.#parts;
    this.#writer ??= (async () => {
      const writer = new VaultWriter({
        ...this.#openJournal(),
        store,
        indexer,
        log,
        ended: (write) => this.#auditor.wrote(write),
        indexLater: (work) => {
          indexer.owe(work);
          // Answers from before the write, which is answered now, must not be repeated.
          this.#parts.replays.changed();
        },
      });
      await writer.recover();
      return writer;
    })();
    this.#writer.catch(() => {
      this.#writer = undefined;
    });
    return this.#writer;
  }

  /** Loads what the first search would otherwise wait for. */
  async warm(): Promise<void> {
    await (await this.#openEngine()).prepare();
  }

  /** Finishes groups interrupted by a crash and deletes records older than the limit; called when the vault opens. */
  async recover(): Promise<void> {
    await this.#openWriter();
    const { retention } = this.#parts;
    if (retention === undefined || this.#closed) return;
    await this.#prune(retention);
    this.#pruning = setInterval(() => void this.#prune(retention), PRUNE_EVERY_MS);
    this.#pruning.unref();
  }

  async #prune(retention: RetentionLimits): Promise<void> {
    try {
      await this.#openJournal().journal.prune(retention);
    } catch (error) {
      // Closed meanwhile, or its disk is full: it is tried again later.
      if (this.#closed) return;
      const message = error instanceof Error ? error.message : String(error);
      this.#parts.log('warn', `The journal was not pruned: ${message}`);
    }
  }

  #openEngine(): Promise<SearchEngine> {
    this.#engine ??= this.#openReader().then((reader) => this.#parts.openSearch(reader));
    this.#engine.catch(() => {
      this.#engine = undefined;
    });
    return this.#engine;
  }

  async #untilIndexed(signal: AbortSignal | undefined): Promise<void> {
    const { indexer, buildLimitMs = BUILD_LIMIT_MS } = this.#parts;
    if (indexer.state.state !== 'building') return;
    // An existing index records whether it is complete. A failure here shows up in the answer itself.
    const opening = this.#openReader().catch(() => undefined);
    const end = performance.now() + buildLimitMs;
    await Promise.race([opening, indexer.built(buildLimitMs, signal)]);
    await indexer.built(Math.max(0, end - performance.now()), signal);
  }

  #openReader(): Promise<NoteIndexReader> {
    this.#reader ??= this.#openIndex();
    this.#reader.catch(() => {
      this.#reader = undefined;
    });
    return this.#reader;
  }
}

/** The session, with a record of searches that ran out of time. */
function noticingPartial(session: VaultSession, notice: () => void): VaultSession {
  return {
    ...session,
    async search(request) {
      const answer = await session.search(request);
      if (answer.isPartial === true) notice();
      return answer;
    },
  };
}

function listFilter(access: Access, settings: VaultSettings): PathFilter | undefined {
  const { filter } = access;
  if (!settings.hasExclusions) return filter;
  return {
    key: `${filter?.key ?? ''}+excluded`,
    test: (path) => (filter === undefined || filter.test(path)) && !settings.isExcluded(path),
    view: filter ?? null,
    common: filter?.common ?? true,
  };
}

async function withLimit(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new LecternError('unavailable', 'The index is not open yet.', {
            next: 'Try again in a few seconds.',
          }),
        ),
      limitMs,
    );
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
