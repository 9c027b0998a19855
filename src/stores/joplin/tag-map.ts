import { isDeepStrictEqual } from 'node:util';
import { inParallel } from '../turns.ts';
import { AT_ONCE, type JoplinApi } from './api.ts';
import type { TagRow } from './rows.ts';

/**
 * Tags whose notes are requested in one batch: adding a tag in Joplin creates no event and changes no time.
 */
const TAGS_PER_BATCH = 12;
/** Further batches start within this time of a poll, ms: a tenth of the interval between two polls. */
const POLL_LIMIT_MS = 150;

/** Which notes have which tags. Joplin lists the notes of a tag, or the tags of a note. */
export class TagMap {
  readonly #api: JoplinApi;
  #titles = new Map<string, string>();
  #notes = new Map<string, Set<string>>();
  #tags = new Map<string, Set<string>>();
  /** Ids of the tags to request next. */
  #waiting: string[] = [];
  #changes = 0;

  constructor(api: JoplinApi) {
    this.#api = api;
  }

  /** A counter that rises whenever a poll finds a difference. */
  get changes(): number {
    return this.#changes;
  }

  /** Titles of a note's tags, sorted by code unit. */
  of(note: string): readonly string[] {
    const titles = [...(this.#tags.get(note) ?? [])].map((id) => this.#titles.get(id) ?? '');
    return titles.filter((title) => title !== '').sort();
  }

  version(note: string): string {
    return this.of(note).join(',');
  }

  /** The existing spelling of a tag: Joplin does not distinguish case in tags. */
  spelled(title: string): string {
    const wanted = title.toLowerCase();
    for (const known of this.#titles.values()) if (known.toLowerCase() === wanted) return known;
    return title;
  }

  async load(): Promise<void> {
    await this.#list();
    await inParallel(this.#titles.keys(), AT_ONCE, (tag) => this.#requestTag(tag));
  }

  /** Lists all tags, and the notes of new tags and of the next few others. */
  async poll(): Promise<void> {
    const before = new Set(this.#titles.keys());
    await this.#list();
    const fresh = [...this.#titles.keys()].filter((tag) => !before.has(tag));
    if (this.#waiting.length === 0) this.#waiting = [...this.#titles.keys()];
    let wanted = new Set([...fresh, ...this.#waiting.splice(0, TAGS_PER_BATCH)]);
    const end = performance.now() + POLL_LIMIT_MS;
    while (wanted.size > 0) {
      await inParallel(wanted, AT_ONCE, (tag) => this.#requestTag(tag));
      wanted = new Set(performance.now() < end ? this.#waiting.splice(0, TAGS_PER_BATCH) : []);
    }
  }

  /** Requests the tags of one note. */
  async fetch(note: string): Promise<void> {
    const tags = new Set<string>();
    const query = { fields: 'id,title' };
    for await (const rows of this.#api.pages<TagRow>(`notes/${note}/tags`, { query })) {
      for (const { id, title } of rows) {
        this.#titles.set(id, title);
        tags.add(id);
      }
    }
    for (const tag of this.#tags.get(note) ?? []) if (!tags.has(tag)) this.#notes.get(tag)?.delete(note);
    for (const tag of tags) this.#notesOf(tag).add(note);
    this.#tags.set(note, tags);
  }

  async #list(): Promise<void> {
    const titles = new Map<string, string>();
    const query = { fields: 'id,title', order_by: 'id', order_dir: 'ASC' };
    for await (const rows of this.#api.pages<TagRow>('tags', { query }))
      for (const { id, title } of rows) titles.set(id, title);
    if (!isDeepStrictEqual(titles, this.#titles)) this.#changes++;
    this.#titles = titles;
  }

  async #requestTag(tag: string): Promise<void> {
    const notes = new Set<string>();
    const query = { fields: 'id', order_by: 'id', order_dir: 'ASC' };
    for await (const rows of this.#api.pages<{ id: string }>(`tags/${tag}/notes`, { query }))
      for (const { id } of rows) notes.add(id);
    if (!isDeepStrictEqual(notes, this.#notes.get(tag) ?? new Set())) this.#changes++;
    for (const note of this.#notes.get(tag) ?? []) if (!notes.has(note)) this.#tags.get(note)?.delete(tag);
    for (const note of notes) {
      const tags = this.#tags.get(note);
      if (tags === undefined) this.#tags.set(note, new Set([tag]));
      else tags.add(tag);
    }
    this.#notes.set(tag, notes);
  }

  #notesOf(tag: string): Set<string> {
    const known = this.#notes.get(tag);
    if (known !== undefined) return known;
    const made = new Set<string>();
    this.#notes.set(tag, made);
    return made;
  }
}
