import { randomBytes } from 'node:crypto';
import { LecternError } from '../../errors.ts';
import { nameOf } from '../../notes/dialects/joplin-names.ts';
import { etagOf } from '../../notes/etag.ts';
import { baseName, joinPath } from '../../notes/path.ts';
import { readEach } from '../read-each.ts';
import { changedByOther, checkReadable, notThere, refuse } from '../refusals.ts';
import type { FactChanges, FolderEntry, Origin, Placement, Store, StoredFile, StoreEntry } from '../store.ts';
import { Turns } from '../turns.ts';
import { AT_ONCE, type JoplinApi, type JoplinApiOptions, openJoplinApi } from './api.ts';
import { noteEntry, propertiesOf, resourceEntry, timesOf } from './entry.ts';
import { JoplinMirror } from './mirror.ts';
import { JoplinNotebooks } from './notebooks.ts';
import { JoplinPlaces, stemOf } from './places.ts';
import { isAFolder } from './refusals.ts';
import type { FreshNote } from './requests.ts';
import { JOPLIN_ID } from './rows.ts';
import { JoplinTrash } from './trash.ts';
import { type Placed, pathOfResource, titleOfResource } from './tree.ts';
import { VerifiedWrites } from './verified-writes.ts';

export interface JoplinStoreOptions extends JoplinApiOptions {
  /** Limit of a file, bytes; larger ones are refused. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Key of {@link Turns} for work that changes paths: it runs one after another. */
const PLACES = 'places';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Opens a running Joplin as a store: notebooks are folders, notes are `Title.md`, and attachments are files.
 * No request is sent until a method is called, so Joplin need not be running.
 *
 * The Data API has no conditional write. A note is read and its version compared right before the write, and
 * {@link VerifiedWrites} puts back a change of another program that the write replaced, where it saw that
 * change. A change that it did not see is lost. Writes of this process to the same note run one after
 * another.
 */
export function openJoplinStore(options: JoplinStoreOptions): Store {
  const api = openJoplinApi(options);
  return new JoplinStore(api, options.maxBytes ?? MAX_BYTES);
}

class JoplinStore implements Store {
  readonly kind = 'joplin';
  readonly location: string;
  readonly capabilities = { watch: false, ids: true, facts: true };
  readonly #api: JoplinApi;
  readonly #mirror: JoplinMirror;
  readonly #trash: JoplinTrash;
  readonly #writes: VerifiedWrites;
  readonly #places: JoplinPlaces;
  readonly #notebooks: JoplinNotebooks;
  readonly #turns = new Turns();
  readonly #maxBytes: number;

  constructor(api: JoplinApi, maxBytes: number) {
    this.#api = api;
    this.location = api.location;
    this.#maxBytes = maxBytes;
    this.#mirror = new JoplinMirror(api);
    this.#trash = new JoplinTrash(api);
    this.#writes = new VerifiedWrites(api, this.#mirror);
    this.#places = new JoplinPlaces(api, this.#mirror, this.#writes);
    this.#notebooks = new JoplinNotebooks(api, this.#mirror, this.#places);
  }

  async list(prefix = '', signal?: AbortSignal) {
    signal?.throwIfAborted();
    if (prefix === '') await this.#mirror.reconcile(signal);
    else await this.#mirror.refresh(signal);
    const below = `${prefix}/`;
    const entries: StoreEntry[] = [];
    for (const placed of this.#mirror.tree.items.values())
      if (prefix === '' || placed.path.startsWith(below)) entries.push(this.#known(placed));
    const problems = this.#mirror.encrypted.map(({ id, parent_id, title }) => ({
      path: joinPath(this.#mirror.tree.folderOf(parent_id) ?? '', `${nameOf(title)}.md`),
      code: 'unreadable' as const,
      message: `Joplin has not decrypted this note (${id}): enter the master password in Joplin.`,
    }));
    return { entries, problems };
  }

  async stat(path: string): Promise<StoreEntry | undefined> {
    checkReadable(path);
    return (await this.#fetch(path))?.entry;
  }

  async read(path: string): Promise<StoredFile> {
    checkReadable(path);
    const found = await this.#existing(path);
    if (found.entry.size > this.#maxBytes) throw this.#tooLarge(path);
    const bytes = await this.#bytesOf(found);
    if (bytes === undefined) throw notThere(path);
    return { entry: found.entry, bytes };
  }

  async readMany(paths: readonly string[], signal?: AbortSignal): Promise<readonly StoredFile[]> {
    await this.#mirror.ready();
    return readEach(paths, AT_ONCE, async (path) => this.#listed(path) ?? (await this.read(path)), signal);
  }

  /** Joplin has no settings folder that would show the rules of another program. */
  async topNames(): Promise<readonly string[]> {
    return [];
  }

  async readSetting(): Promise<undefined> {
    return undefined;
  }

  async placeFor(path: string): Promise<Placement> {
    checkReadable(path);
    await this.#mirror.refresh();
    return this.#places.placeFor(path);
  }

  async create(path: string, bytes: Uint8Array, origin: Origin = {}): Promise<StoreEntry> {
    checkReadable(path);
    if (bytes.length > this.#maxBytes) throw this.#tooLarge(path);
    const body = isNote(path) ? this.#text(path, bytes) : undefined;
    return this.#turns.take(PLACES, async () => {
      // A copy of many notes has listed all items before. A note of the same title that another program
      // creates meanwhile is no conflict: Joplin allows two notes of one title.
      await (origin.id === undefined ? this.#mirror.refreshPlaces() : this.#mirror.ready());
      const { path: place } = this.#places.placeFor(path);
      this.#places.assertFree(place);
      const id = origin.id ?? randomBytes(16).toString('hex');
      if (body === undefined) {
        const props = { id, title: titleOfResource(place), ...timesOf(origin) };
        await this.#writes.post('resources', id, { file: { bytes, name: baseName(place), props } });
        await this.#mirror.fetchResource(id);
      } else {
        const parent_id = await this.#places.notebookFor(place);
        const facts = await this.asKept(origin.facts ?? {});
        const title = this.#places.titleFor(facts.title ?? undefined, stemOf(place));
        const made = { ...propertiesOf(facts, undefined, title, Date.now()), ...timesOf(origin) };
        await this.#writes.post('notes', id, { json: { ...made, id, parent_id, title, body } });
        await this.#mirror.fetch(id);
      }
      return this.#made(id, place);
    });
  }

  async replace(path: string, bytes: Uint8Array, { expectedEtag }: { expectedEtag: string }) {
    checkReadable(path);
    if (bytes.length > this.#maxBytes) throw this.#tooLarge(path);
    return this.#onVersion(path, expectedEtag, async ({ placed, note }) => {
      if (note) await this.#writes.put(placed.id, note, { body: this.#text(path, bytes) });
      else {
        const title = this.#mirror.resource(placed.id)?.title ?? titleOfResource(placed.path);
        await this.#api.send('PUT', `resources/${placed.id}`, {
          file: { bytes, name: baseName(placed.path), props: { title } },
        });
      }
    });
  }

  /**
   * The facts as Joplin will store them: tags trimmed, sorted, and spelled as an existing tag that differs in
   * case only.
   * @throws LecternError `invalid_input` for a tag with a comma, the separator of Joplin's tag list
   */
  async asKept(changes: FactChanges): Promise<FactChanges> {
    const { tags } = changes;
    if (!Array.isArray(tags)) return changes;
    await this.#mirror.ready();
    const titles = tags
      .map((tag: string) => this.#mirror.tags.spelled(tag.trim()))
      .filter((tag) => tag !== '');
    const bad = titles.find((title) => title.includes(','));
    if (bad !== undefined)
      throw new LecternError(
        'invalid_input',
        `The tag ${JSON.stringify(bad)} has a comma, which Joplin cannot take.`,
        {
          next: 'Write it without the comma.',
        },
      );
    const unique = [
      ...new Map(titles.reverse().map((title) => [title.toLowerCase(), title])).values(),
    ].sort();
    return { ...changes, tags: unique.length === 0 ? null : unique };
  }

  async setFacts(path: string, facts: FactChanges, { expectedEtag }: { expectedEtag: string }) {
    checkReadable(path);
    return this.#onVersion(path, expectedEtag, async ({ placed, note }) => {
      if (note === undefined)
        throw refuse(
          'unavailable',
          path,
          'is an attachment, of which Joplin keeps no facts',
          'Set them on a note.',
        );
      const name = stemOf(placed.path);
      if (typeof facts.title === 'string' && nameOf(facts.title) !== nameOf(note.row.title))
        throw refuse('invalid_input', path, 'is named by its title', 'Move the note to rename it.');
      await this.#writes.put(
        placed.id,
        note,
        propertiesOf(await this.asKept(facts), note.row, name, Date.now()),
      );
    });
  }

  async move(from: string, to: string): Promise<StoreEntry> {
    checkReadable(from);
    checkReadable(to);
    return this.#turns.take(PLACES, async () => {
      await this.#mirror.refreshPlaces();
      const { placed } = await this.#existing(from);
      const { path: place } = this.#places.placeFor(to);
      if (place === placed.path) return this.#known(placed);
      if (place.normalize('NFC') !== placed.path.normalize('NFC')) this.#places.assertFree(place);
      if (isNote(place) !== (placed.kind === 'note'))
        throw refuse(
          'invalid_path',
          to,
          'is of another kind',
          'Joplin keeps notes (.md) and attachments apart.',
        );
      await this.#places.put(placed, place);
      return this.#made(placed.id, place);
    });
  }

  async moveFolder(from: string, to: string): Promise<void> {
    checkReadable(from);
    checkReadable(to);
    await this.#turns.take(PLACES, () => this.#notebooks.move(from, to));
  }

  folders(signal?: AbortSignal): Promise<readonly FolderEntry[]> {
    return this.#notebooks.list(signal);
  }

  async makeFolder(path: string): Promise<void> {
    checkReadable(path);
    await this.#turns.take(PLACES, () => this.#notebooks.make(path));
  }

  pruneFolders(folder: string, top: string): Promise<void> {
    return this.#turns.take(PLACES, () => this.#notebooks.prune(folder, top));
  }

  async trash(path: string): Promise<{ trashPath?: string }> {
    checkReadable(path);
    return this.#turns.take(PLACES, async () => {
      const { placed } = await this.#existing(path);
      return this.#turns.take(placed.id, async () => {
        const trashPath = await this.#trash.take(placed);
        await this.#refetch(placed);
        return { trashPath };
      });
    });
  }

  async remove(path: string, { expectedEtag }: { expectedEtag: string }): Promise<void> {
    checkReadable(path);
    const found = await this.#existing(path);
    const { placed } = found;
    await this.#turns.take(placed.id, async () => {
      await this.#assertVersion(path, expectedEtag);
      const query = placed.kind === 'note' ? { permanent: 1 } : {};
      await this.#api.send('DELETE', `${placed.kind}s/${placed.id}`, { query });
      await this.#refetch(placed);
    });
  }

  listTrash() {
    return this.#trash.list();
  }

  async restore(trashPath: string, to: string): Promise<StoreEntry> {
    checkReadable(to);
    const item = await this.#trash.find(trashPath);
    return this.#turns.take(PLACES, async () => {
      await this.#mirror.refreshPlaces();
      const { path: place } = this.#places.placeFor(to);
      this.#places.assertFree(place);
      if (item.kind === 'note') {
        const json = {
          deleted_time: 0,
          parent_id: await this.#places.notebookFor(place),
          title: this.#places.titleFor(item.title, stemOf(place)),
        };
        await this.#api.send('PUT', `notes/${item.id}`, { json });
        await this.#mirror.fetch(item.id);
      } else {
        await this.#places.retitle(item.id, titleOfResource(place));
      }
      return this.#made(item.id, place);
    });
  }

  async idAt(path: string): Promise<string | undefined> {
    await this.#mirror.ready();
    const find = () => {
      const placed = this.#mirror.tree.at(path);
      return placed?.path === path ? placed.id : this.#mirror.tree.notebook(path);
    };
    const known = find();
    if (known !== undefined) return known;
    await this.#mirror.refreshPlaces();
    return find();
  }

  async pathOfId(id: string): Promise<string | undefined> {
    if (!JOPLIN_ID.test(id)) return undefined;
    await this.#mirror.ready();
    // A note or notebook that another program moved keeps its id, so the paths are updated first.
    await this.#mirror.refreshPlaces();
    return this.#mirror.tree.of(id)?.path ?? this.#mirror.tree.folderOf(id);
  }

  async changesSince(cursor: string | undefined, signal?: AbortSignal) {
    await this.#mirror.refresh(signal);
    if (cursor === undefined) return { changes: [], cursor: this.#mirror.log.cursor };
    return this.#mirror.log.since(cursor);
  }

  awaySince(): Promise<number | undefined> {
    return this.#api.awaySince();
  }

  async watch(): Promise<never> {
    throw new LecternError('unavailable', 'Joplin cannot be watched; it is asked for its changes.');
  }

  async close(): Promise<void> {
    // The store holds no open resource.
  }

  /** The item at a path now: looked up in the mirror, then requested from Joplin. */
  async #fetch(path: string): Promise<Found | undefined> {
    await this.#mirror.ready();
    for (const isLast of [false, true]) {
      const placed = this.#mirror.tree.at(path);
      const found = placed && (await this.#request(placed));
      // Another program may have moved the note since it was listed.
      if (found && this.#mirror.tree.at(path)?.id === placed.id) return found;
      if (isLast) return undefined;
      await this.#mirror.refresh();
    }
    return undefined;
  }

  async #request(placed: Placed): Promise<Found | undefined> {
    if (placed.kind === 'note') {
      const note = await this.#mirror.fetch(placed.id);
      return note && { placed, note, entry: this.#known(placed) };
    }
    const row = await this.#mirror.fetchResource(placed.id);
    return row && pathOfResource(row) !== undefined
      ? { placed, note: undefined, entry: this.#known(placed) }
      : undefined;
  }

  async #existing(path: string): Promise<Found> {
    const found = await this.#fetch(path);
    if (found !== undefined) return found;
    throw this.#mirror.tree.hasFolder(path) ? isAFolder(path) : notThere(path);
  }

  /** A note as the last listing returned it; its text can be taken once. */
  #listed(path: string): StoredFile | undefined {
    const placed = this.#mirror.tree.at(path);
    const note = placed?.kind === 'note' ? this.#mirror.takeBody(placed.id) : undefined;
    return placed && note && { entry: this.#known(placed), bytes: encoder.encode(note.body) };
  }

  async #bytesOf({ placed, note }: Found): Promise<Uint8Array | undefined> {
    return note ? encoder.encode(note.body) : this.#api.bytes(`resources/${placed.id}/file`);
  }

  /**
   * The entry of an item from the mirror.
   * @throws LecternError `not_found` when the mirror does not have it
   */
  #known({ kind, id, path }: Placed): StoreEntry {
    const version = this.#mirror.version(kind, id);
    if (kind === 'note') {
      const known = this.#mirror.note(id);
      if (known === undefined) throw notThere(path);
      return noteEntry(path, known.row, known.size, this.#mirror.tags.of(id), version);
    }
    const row = this.#mirror.resource(id);
    if (row === undefined) throw notThere(path);
    return resourceEntry(path, row, version);
  }

  /**
   * The entry of an item that was just written.
   * @throws LecternError `conflict` when another program removed it at the same moment
   */
  #made(id: string, path: string): StoreEntry {
    const placed = this.#mirror.tree.of(id);
    if (placed !== undefined) return this.#known(placed);
    throw refuse('conflict', path, 'was removed at the same moment', 'Look at it in Joplin.');
  }

  async #refetch({ kind, id }: Placed): Promise<void> {
    if (kind === 'note') await this.#mirror.fetch(id);
    else await this.#mirror.fetchResource(id);
  }

  async #assertVersion(path: string, expectedEtag: string): Promise<Found> {
    const found = await this.#existing(path);
    const bytes = await this.#bytesOf(found);
    if (bytes === undefined) throw notThere(path);
    if (etagOf(bytes, found.entry.facts) !== expectedEtag) throw changedByOther(path);
    return found;
  }

  /**
   * Changes an item after comparing its version, and returns its new entry.
   * @throws LecternError `conflict` when the version is another one
   */
  async #onVersion(
    path: string,
    expectedEtag: string,
    change: (found: Found) => Promise<void>,
  ): Promise<StoreEntry> {
    const { placed } = await this.#existing(path);
    return this.#turns.take(placed.id, async () => {
      const found = await this.#assertVersion(path, expectedEtag);
      await change(found);
      await this.#refetch(found.placed);
      return this.#made(found.placed.id, path);
    });
  }

  #text(path: string, bytes: Uint8Array): string {
    try {
      return decoder.decode(bytes);
    } catch {
      throw refuse(
        'invalid_input',
        path,
        'is not UTF-8, which a note in Joplin must be',
        'Send text as UTF-8.',
      );
    }
  }

  #tooLarge(path: string): LecternError {
    return refuse('too_large', path, `is larger than ${this.#maxBytes} bytes`, 'Split the note.');
  }
}

interface Found {
  readonly placed: Placed;
  /** Undefined for an attachment. */
  readonly note: FreshNote | undefined;
  readonly entry: StoreEntry;
}

function isNote(path: string): boolean {
  return path.endsWith('.md');
}
