import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { literalGlob } from '../../notes/glob.ts';
import { baseName, dirName, isNotePath, stem } from '../../notes/path.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { VaultLookups } from '../catalogue.ts';
import { pageNotFound } from './failures.ts';
import { slugFor, slugify } from './titles.ts';

/** A page in this system: a note, or a folder that has no note of its name. */
export interface Page {
  readonly slug: string;
  readonly title: string;
  readonly kind: 'page' | 'folder';
  /** Path of the note or folder. */
  readonly path: string;
  readonly icon: string | undefined;
}

/** A page that was read. */
export interface OpenedPage extends Page {
  /** Undefined for a folder without a note. */
  readonly note: OpenedNote | undefined;
}

interface Listed extends Omit<Page, 'slug'> {}

/** Limit of notes that are opened one by one for their titles; for more, all notes are listed. */
const MOST_OPENED = 50;
/** Number of ids looked up per turn of the event loop. */
const IDS_AT_A_TIME = 100;

/** The pages of a vault during one call. */
export class Pages {
  readonly #vault: VaultLookups;
  readonly #titles = new Map<string, string>();
  #all: Promise<readonly Page[]> | undefined;

  constructor(vault: VaultLookups) {
    this.#vault = vault;
  }

  /**
   * Reads the page with this slug.
   *
   * @throws JsonRpcError when there is none
   */
  async withSlug(slug: string): Promise<OpenedPage> {
    const path = await this.pathOf(slug);
    if (path === undefined) {
      const notice = this.#vault.staleness();
      throw pageNotFound(slug, notice && `Try again in a few seconds (${notice}).`);
    }
    if (!isNotePath(path))
      return { slug, path, kind: 'folder', title: baseName(path), icon: undefined, note: undefined };
    const note = await this.#vault.open(path);
    const properties = note.parsed.frontmatter?.data ?? {};
    return { slug, path, kind: 'page', title: titleOf(path, properties), icon: iconOf(properties), note };
  }

  /** The path of the note or folder with this slug. Pages without a slug get one first. */
  async pathOf(slug: string): Promise<string | undefined> {
    return (await this.#placeOf(slug)) ?? ((await this.all()) && (await this.#placeOf(slug)));
  }

  /** The slugs of notes and folders; missing ones are assigned. */
  async slugs(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const wanted = [...new Set(paths)];
    try {
      return await this.#ids((path) => this.#titles.get(path)).of(wanted);
    } catch (error) {
      if (!(error instanceof TitleUnknown)) throw error;
      await this.all();
      return await this.#ids((path) => this.#titles.get(path) ?? stem(path)).of(wanted);
    }
  }

  /** The titles of pages, by path. */
  async titles(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const missing = [...new Set(paths)].filter((path) => !this.#titles.has(path));
    if (missing.length > MOST_OPENED) await this.all();
    else
      for (const path of missing) {
        const note = await this.#vault.open(path).catch(() => undefined);
        this.#titles.set(path, titleOf(path, note?.parsed.frontmatter?.data ?? {}));
      }
    return this.#titles;
  }

  async slugOf(path: string): Promise<string> {
    return (await this.slugs([path])).get(path) ?? '';
  }

  /** Assigns a page the slug for another title, and returns it. */
  async rename(path: string, title: string): Promise<string> {
    const ids = this.#ids(() => title);
    for (let attempt = 0; ; attempt++) {
      const slug = slugFor(slugify(title), attempt);
      if (await ids.change(path, slug)) return slug;
    }
  }

  /** Assigns the slug of a new page with this title, and returns it. */
  async begin(path: string, title: string): Promise<string> {
    this.#titles.set(path, title);
    return await this.slugOf(path);
  }

  /** Passes the slug of a folder to the note that was created for it. */
  takePlace(folder: string, note: string): void {
    this.#ids(() => undefined).inherit(folder, note);
  }

  /** The page's id, which never changes. */
  async idOf(path: string): Promise<string> {
    const ids = this.#vault.ids({ name: 'inklings page', reusable: false, make: () => randomUUID() });
    return (await ids.of([path])).get(path) ?? '';
  }

  /** Whether the folder contains a note at any depth. */
  async hasNotes(folder: string): Promise<boolean> {
    const pathGlob = `${literalGlob(folder)}/**`;
    return (await this.#vault.list({ kinds: ['note'], pathGlob }, 'path', { limit: 1 })).total > 0;
  }

  /** All pages, ordered by path. */
  all(): Promise<readonly Page[]> {
    this.#all ??= this.#list();
    return this.#all;
  }

  async #placeOf(slug: string): Promise<string | undefined> {
    const path = await this.#ids(() => undefined).pathOf(slug);
    if (path === undefined || isNotePath(path)) return path;
    const note = `${path}.md`;
    if ((await this.#vault.changedAt(note)) !== undefined) {
      this.takePlace(path, note);
      return (await this.#ids(() => undefined).pathOf(slug)) ?? undefined;
    }
    return (await this.hasNotes(path)) ? path : undefined;
  }

  #ids(titleAt: (path: string) => string | undefined) {
    const tried = new Map<string, number>();
    const made = new Map<string, { attempt: number; slug: string }>();
    return this.#vault.ids({
      name: 'inklings slug',
      reusable: true,
      readable: true,
      make: (path, attempt) => {
        const last = made.get(path);
        if (last?.attempt === attempt) return last.slug;
        const title = titleAt(path);
        if (title === undefined) throw new TitleUnknown();
        const first = slugify(title);
        // Pages with the same title continue with the next number.
        const number = tried.get(first) ?? 0;
        tried.set(first, number + 1);
        const slug = slugFor(first, number);
        made.set(path, { attempt, slug });
        return slug;
      },
    });
  }

  async #list(): Promise<readonly Page[]> {
    const listed = withFolders(await this.#notes());
    for (const { path, title } of listed) this.#titles.set(path, title);
    for (const { path, folder } of listed)
      if (folder !== undefined && isNotePath(path)) this.takePlace(folder, path);
    const ids = this.#ids((path) => this.#titles.get(path) ?? stem(path));
    const pages: Page[] = [];
    for (let from = 0; from < listed.length; from += IDS_AT_A_TIME) {
      const some = listed.slice(from, from + IDS_AT_A_TIME);
      const slugs = await ids.of(some.map(({ path }) => path));
      for (const { folder: _, ...page } of some) {
        const slug = slugs.get(page.path);
        if (slug !== undefined) pages.push({ ...page, slug });
      }
      await turn();
    }
    return pages;
  }

  async #notes(): Promise<readonly Listed[]> {
    await this.#vault.untilIndexed();
    const notes: Listed[] = [];
    for await (const some of this.#vault.matching({ kinds: ['note'] }, 'path'))
      for (const { path, frontmatter } of some)
        notes.push({ path, kind: 'page', title: titleOf(path, frontmatter), icon: iconOf(frontmatter) });
    return notes;
  }
}

class TitleUnknown extends Error {}

/**
 * The notes and the folders. A note with the name of a folder is the page of that folder; other folders are
 * pages themselves.
 */
function withFolders(notes: readonly Listed[]): readonly (Listed & { readonly folder?: string })[] {
  const paths = new Set(notes.map(({ path }) => path));
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirName(path); folder !== '' && !folders.has(folder); folder = dirName(folder))
      folders.add(folder);
  const alone = [...folders].filter((folder) => !paths.has(`${folder}.md`));
  return [
    ...notes.map((note) => {
      const folder = childFolder(note.path);
      return folders.has(folder) ? { ...note, folder } : note;
    }),
    ...alone.map((path) => ({ path, kind: 'folder' as const, title: baseName(path), icon: undefined })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The folder of a page's children. */
export function childFolder(path: string): string {
  return path.replace(/\.md$/i, '');
}

/** The title of a page: its `title` property, or else the file name. The text is not considered. */
function titleOf(path: string, properties: Readonly<Record<string, unknown>>): string {
  return textProperty(properties, 'title') ?? stem(path);
}

function iconOf(properties: Readonly<Record<string, unknown>>): string | undefined {
  return textProperty(properties, 'icon');
}

function textProperty(properties: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const [, value] = Object.entries(properties).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
