import { isDeepStrictEqual } from 'node:util';
import { untilAborted } from '../../stoppable.ts';
import { ChangeLog } from '../change-log.ts';
import { isAway } from '../presence.ts';
import { inParallel } from '../turns.ts';
import { AT_ONCE, type JoplinApi } from './api.ts';
import { type FreshNote, JoplinRequests, TEXT_FIELDS } from './requests.ts';
import {
  FOLDER_FIELDS,
  type FolderRow,
  type KnownNote,
  NOTE_FIELDS,
  type NoteRow,
  RESOURCE_FIELDS,
  type ResourceRow,
} from './rows.ts';
import { TagMap } from './tag-map.ts';
import { JoplinTree } from './tree.ts';

/** Bytes of text (UTF-8) that the first listing keeps for the reads that follow it. */
const KEPT_TEXT_BYTES = 64 * 1024 * 1024;
/** Time, ms, since the last of these reads after which the rest is dropped: who only asks for paths reads none. */
const KEPT_TEXT_MS = 10_000;
/** Interval, ms, at which notebooks, tags and attachments are listed: Joplin reports no events for them. */
const PLACES_INTERVAL_MS = 1_500;
/**
 * Every so many listings of places, all attachments are listed, so that removed ones are noticed; the others
 * get only the recently changed.
 */
const FULL_RESOURCE_LISTING = 20;
/**
 * When the last listing of places is older than this, ms, everything is listed: Joplin deletes old events.
 */
const LONGEST_GAP_MS = 24 * 3600_000;
/** Most repetitions of a listing: while notes are removed, a page may skip one. */
const LISTINGS = 3;

/** How much an update requests: notes by Joplin's events, also notebooks and attachments, or everything. */
const EXTENT = { notes: 0, places: 1, all: 2 } as const;
type Extent = (typeof EXTENT)[keyof typeof EXTENT];

/**
 * A copy of what a running Joplin contains, without the texts. Notes follow Joplin's events; notebooks, tags
 * and attachments, which have no events, are listed from time to time. Every change is recorded in {@link log}
 * by path.
 */
export class JoplinMirror {
  readonly log = new ChangeLog();
  readonly tags: TagMap;
  readonly #api: JoplinApi;
  readonly #requests: JoplinRequests;
  #folders = new Map<string, FolderRow>();
  #notes = new Map<string, KnownNote>();
  #resources = new Map<string, ResourceRow>();
  #dropTexts: NodeJS.Timeout | undefined;
  #bodies = new Map<string, { readonly updated: number; readonly body: string }>();
  #tree = new JoplinTree([], [], []);
  /** Position in Joplin's events; undefined until everything was listed. */
  #cursor: string | undefined;
  /** Whether events after the cursor may be missing, because Joplin was away: everything is listed next. */
  #mustReload = false;
  /** Ids of the encrypted notes at the last {@link #rebuild}, joined. */
  #encrypted: string | undefined;
  /** Whether a note is in an unknown notebook: new notebooks have no events. */
  #hasUnknownNotebook = false;
  #placesListedAt = 0;
  #placeListings = 0;
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  /** How much the waiting update requests. */
  #wanted: Extent = EXTENT.notes;

  constructor(api: JoplinApi) {
    this.#api = api;
    this.#requests = new JoplinRequests(api);
    this.tags = new TagMap(api);
  }

  get tree(): JoplinTree {
    return this.#tree;
  }

  /** Notes whose text is encrypted on this device. */
  get encrypted(): readonly NoteRow[] {
    return [...this.#notes.values()].map(({ row }) => row).filter((row) => row.encryption_applied === 1);
  }

  note(id: string): KnownNote | undefined {
    return this.#notes.get(id);
  }

  resource(id: string): ResourceRow | undefined {
    return this.#resources.get(id);
  }

  notebooks(): Iterable<FolderRow> {
    return this.#folders.values();
  }

  folder(id: string): FolderRow | undefined {
    return this.#folders.get(id);
  }

  /** Resolves when the mirror contains all notes that were in Joplin at the time of the call. */
  refresh(signal?: AbortSignal): Promise<void> {
    return this.#schedule(EXTENT.notes, signal);
  }

  /** As {@link refresh}, and also updates all notebooks and the changed attachments, which have no events. */
  refreshPlaces(signal?: AbortSignal): Promise<void> {
    return this.#schedule(EXTENT.places, signal);
  }

  /** Lists everything again. */
  reconcile(signal?: AbortSignal): Promise<void> {
    return this.#schedule(EXTENT.all, signal);
  }

  async ready(): Promise<void> {
    if (this.#cursor === undefined) await this.refresh();
  }

  /**
   * Requests a note with its text and tags, and updates the mirror.
   * @returns undefined when the note does not exist or is in the trash
   */
  async fetch(id: string): Promise<FreshNote | undefined> {
    const [note] = await Promise.all([this.#requests.note(id), this.tags.fetch(id)]);
    this.#record(id, note);
    this.#settle([id]);
    return note;
  }

  /** Requests a note with its text but without tags. Does not change the mirror. */
  peek(id: string): Promise<FreshNote | undefined> {
    return this.#requests.note(id);
  }

  /** The text from the first listing, unless the note has changed since; each text can be taken once. */
  takeBody(id: string): FreshNote | undefined {
    const kept = this.#bodies.get(id);
    if (kept !== undefined) this.#dropTexts?.refresh();
    const known = this.#notes.get(id);
    this.#bodies.delete(id);
    return kept && known && kept.updated === known.row.updated_time
      ? { ...known, body: kept.body }
      : undefined;
  }

  async fetchResource(id: string): Promise<ResourceRow | undefined> {
    const row = await this.#api.get<ResourceRow>(`resources/${id}`, { query: { fields: RESOURCE_FIELDS } });
    const before = this.#resources.get(id);
    if (row === undefined) this.#resources.delete(id);
    else this.#resources.set(id, row);
    const isSettled = before ? row?.title === before.title : row && this.#tree.addResource(row);
    if (isSettled) this.#noteVersion('resource', id);
    else this.#rebuild();
    return row;
  }

  folderMade(row: FolderRow): void {
    this.#folders.set(row.id, row);
    if (!this.#tree.addNotebook(row)) this.#rebuild();
  }

  folderGone(id: string): void {
    this.#folders.delete(id);
    this.#rebuild();
  }

  /**
   * Runs an update. Calls during an update share the next one, which requests as much as the largest of them.
   */
  #schedule(extent: Extent, signal: AbortSignal | undefined): Promise<void> {
    let work: Promise<void>;
    if (this.#running === undefined) work = this.#run(extent);
    else {
      if (extent > this.#wanted) this.#wanted = extent;
      this.#following ??= this.#running
        .catch(() => undefined)
        .then(() => {
          const wanted = this.#wanted;
          this.#wanted = EXTENT.notes;
          this.#following = undefined;
          return this.#run(wanted);
        });
      work = this.#following;
    }
    // A caller that aborts stops its own wait, not the update that others share.
    return signal === undefined ? work : untilAborted(work, signal);
  }

  #run(extent: Extent): Promise<void> {
    const isAll = extent === EXTENT.all || this.#cursor === undefined || this.#mustReload;
    const work = isAll ? this.#load() : this.#update(extent);
    this.#running = work
      .catch((error: unknown) => {
        // When Joplin is back, it may have another profile, or may have deleted its events.
        if (isAway(error)) this.#mustReload = true;
        throw error;
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #load(): Promise<void> {
    const isFirst = this.#cursor === undefined;
    for (let listing = 1; ; listing++) {
      const cursor = await this.#requests.latest();
      const [folders, notes, resources] = await Promise.all([
        this.#requests.all<FolderRow>('folders', FOLDER_FIELDS),
        this.#listNotes(isFirst && listing === 1),
        this.#requests.all<ResourceRow>('resources', RESOURCE_FIELDS),
        this.tags.load(),
      ]);
      this.#folders = byId(folders);
      this.#notes = notes;
      this.#resources = byId(resources);
      this.#cursor = cursor;
      this.#placesListedAt = Date.now();
      if (!(await this.#follow()).isGone || listing === LISTINGS) break;
    }
    this.#mustReload = false;
    this.#rebuild();
  }

  async #listNotes(withText: boolean): Promise<Map<string, KnownNote>> {
    const notes = new Map<string, KnownNote>();
    const unknown: string[] = [];
    let kept = 0;
    if (withText) this.#bodies.clear();
    const query = {
      fields: withText ? TEXT_FIELDS : NOTE_FIELDS,
      order_by: 'created_time',
      order_dir: 'ASC',
    };
    for await (const rows of this.#api.pages<NoteRow & { body?: string }>('notes', { query })) {
      for (const { body, ...row } of rows) {
        const known = this.#notes.get(row.id);
        if (body !== undefined) {
          const size = Buffer.byteLength(body);
          notes.set(row.id, { row, size });
          kept += size;
          if (kept <= KEPT_TEXT_BYTES) this.#bodies.set(row.id, { updated: row.updated_time, body });
        } else if (known?.row.updated_time === row.updated_time) notes.set(row.id, { row, size: known.size });
        else unknown.push(row.id);
      }
    }
    if (withText) this.#dropTexts = setTimeout(() => this.#bodies.clear(), KEPT_TEXT_MS).unref();
    await inParallel(unknown, AT_ONCE, async (id) => {
      const found = await this.#requests.note(id);
      if (found) notes.set(id, { row: found.row, size: found.size });
    });
    return notes;
  }

  async #update(extent: Extent): Promise<void> {
    const latest = await this.#requests.latest();
    // A smaller number means another profile, or deleted events: Joplin keeps them for some months only.
    if (Number(latest) < Number(this.#cursor) || Date.now() - this.#placesListedAt > LONGEST_GAP_MS)
      return this.#load();
    const late = await this.#changedWithoutEvent();
    const isChanged = latest !== this.#cursor || late.length > 0;
    const { changed } = isChanged ? await this.#follow(late) : { changed: [] };
    let isMore = false;
    try {
      const isDue = Date.now() - this.#placesListedAt >= PLACES_INTERVAL_MS;
      if (isDue) {
        const seen = this.tags.changes;
        await this.tags.poll();
        isMore = this.tags.changes !== seen;
      }
      if (isDue || extent === EXTENT.places || this.#hasUnknownNotebook) {
        this.#hasUnknownNotebook = false;
        const places = await this.#listPlaces();
        if (places.isOtherProfile) return await this.#load();
        isMore ||= places.isChanged;
        this.#placesListedAt = isDue ? Date.now() : this.#placesListedAt;
      }
    } finally {
      // Also when places could not be listed: the events are not reported again.
      if (isMore) this.#rebuild();
      else this.#settle(changed);
    }
  }

  /**
   * Ids of notes whose change Joplin has stored but not reported yet: it writes the event some milliseconds
   * later.
   */
  async #changedWithoutEvent(): Promise<readonly string[]> {
    const late: string[] = [];
    const query = { fields: 'id,updated_time', order_by: 'updated_time', order_dir: 'DESC' };
    for await (const rows of this.#api.pages<Pick<NoteRow, 'id' | 'updated_time'>>('notes', { query })) {
      const fresh = rows.filter((row) => this.#notes.get(row.id)?.row.updated_time !== row.updated_time);
      late.push(...fresh.map(({ id }) => id));
      if (fresh.length < rows.length) break;
    }
    return late;
  }

  /**
   * Requests the notes that the events name and updates the mirror.
   * @param also ids of changed notes that have no event yet
   * @returns ids of the changed notes, and whether one of them was removed
   */
  async #follow(also: readonly string[] = []): Promise<{ changed: Iterable<string>; isGone: boolean }> {
    const changed = new Set(also);
    for await (const { items, cursor } of this.#requests.events(this.#cursor)) {
      for (const { item_id } of items) changed.add(item_id);
      this.#cursor = String(cursor);
    }
    let isGone = false;
    await inParallel(changed, AT_ONCE, async (id) => {
      const [note] = await Promise.all([this.#requests.note(id), this.tags.fetch(id)]);
      if (note === undefined) isGone = true;
      this.#record(id, note);
    });
    return { changed, isGone };
  }

  /**
   * Lists notebooks and attachments.
   * @returns whether they changed; another profile answers when no known notebook exists any more
   */
  async #listPlaces(): Promise<{ isChanged: boolean; isOtherProfile: boolean }> {
    const folders = byId(await this.#requests.all<FolderRow>('folders', FOLDER_FIELDS));
    let isChanged = !isDeepStrictEqual(folders, this.#folders);
    const isOtherProfile = this.#folders.size > 0 && ![...this.#folders.keys()].some((id) => folders.has(id));
    this.#folders = folders;
    if (this.#placeListings++ % FULL_RESOURCE_LISTING === 0) {
      const resources = byId(await this.#requests.all<ResourceRow>('resources', RESOURCE_FIELDS));
      isChanged ||= !isDeepStrictEqual(resources, this.#resources);
      this.#resources = resources;
      return { isChanged, isOtherProfile };
    }
    const query = { fields: RESOURCE_FIELDS, order_by: 'updated_time', order_dir: 'DESC' };
    for await (const rows of this.#api.pages<ResourceRow>('resources', { query })) {
      const fresh = rows.filter((row) => this.#resources.get(row.id)?.updated_time !== row.updated_time);
      for (const row of fresh) this.#resources.set(row.id, row);
      isChanged ||= fresh.length > 0;
      if (fresh.length < rows.length) break;
    }
    return { isChanged, isOtherProfile };
  }

  #record(id: string, found: KnownNote | undefined): void {
    this.#bodies.delete(id);
    if (found === undefined) this.#notes.delete(id);
    else {
      this.#notes.set(id, { row: found.row, size: found.size });
      this.#hasUnknownNotebook ||= !this.#folders.has(found.row.parent_id);
    }
  }

  /** Computes the paths from the known items and records the changes in the log. */
  #rebuild(): void {
    const shown = [...this.#notes.values()]
      .map(({ row }) => row)
      .filter((row) => row.encryption_applied !== 1);
    this.#tree = new JoplinTree(this.#folders.values(), shown, this.#resources.values());
    this.log.compare(this.#versions());
    // Encrypted notes have no path; a listing reports them as problems.
    const encrypted = this.encrypted.map(({ id }) => id).join();
    if (this.#encrypted !== undefined && this.#encrypted !== encrypted) this.log.rescan();
    this.#encrypted = encrypted;
  }

  /**
   * Computes the paths of changed notes and records the changes in the log. Where paths of other notes depend
   * on them, all are computed: at 5,000 notes that takes 20 ms.
   */
  #settle(changed: Iterable<string>): void {
    for (const id of changed) {
      const row = this.#notes.get(id)?.row;
      const isEncrypted = row?.encryption_applied === 1 || this.#encrypted?.includes(id);
      if (isEncrypted || !(row ? this.#tree.update(row) : this.#tree.remove(id))) {
        this.#rebuild();
        return;
      }
      if (row) this.#noteVersion('note', id);
      else this.log.gone(id);
    }
  }

  #noteVersion(kind: 'note' | 'resource', id: string): void {
    const path = this.#tree.of(id)?.path;
    if (path !== undefined) this.log.note(id, path, this.version(kind, id));
  }

  *#versions(): Generator<readonly [id: string, path: string, version: string]> {
    for (const { id, path, kind } of this.#tree.items.values()) yield [id, path, this.version(kind, id)];
  }

  /** A text that changes whenever the item does. */
  version(kind: 'note' | 'resource', id: string): string {
    if (kind === 'note') {
      const { row, size } = this.#notes.get(id) ?? {};
      return `${row?.updated_time}:${size}:${this.tags.version(id)}`;
    }
    const row = this.#resources.get(id);
    return `${row?.updated_time}:${row?.blob_updated_time}:${row?.size}`;
  }
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
