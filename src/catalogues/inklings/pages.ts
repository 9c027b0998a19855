import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { literalGlob } from '../../notes/glob.ts';
import { baseName, dirName, isNotePath, stem } from '../../notes/path.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { VaultLookups } from '../catalogue.ts';
import { pageNotFound } from './failures.ts';
import { slugFor, slugify } from './titles.ts';

/** A note, or a folder without a note of its name, as this system sees it. */
export interface Page {
  readonly slug: string;
  readonly title: string;
  readonly kind: 'page' | 'folder';
  /** Of the note, or of the folder. */
  readonly path: string;
  readonly icon: string | undefined;
}

/** A page that was looked at. */
export interface OpenedPage extends Page {
  /** Undefined for a folder without a note. */
  readonly note: OpenedNote | undefined;
}

interface Listed extends Omit<Page, 'slug'> {}

/** Notes that are opened for their titles; of more, all are listed. */
const MOST_OPENED = 50;
/** Ids that are looked up without letting others in between. */
const IDS_AT_A_TIME = 100;

/** The pages of a vault, for one call. */
export class Pages {
  readonly #vault: VaultLookups;
  readonly #titles = new Map<string, string>();
  #all: Promise<readonly Page[]> | undefined;

  constructor(vault: VaultLookups) {
    this.#vault = vault;
  }

  /**
   * The page with this slug.
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

  /** The note or folder with this slug; a page that nobody has asked for yet has its slug from now on. */
  async pathOf(slug: string): Promise<string | undefined> {
    return (await this.#placeOf(slug)) ?? ((await this.all()) && (await this.#placeOf(slug)));
  }

  /** Slugs of notes and folders, made where there are none. */
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

  /** What pages are called. */
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

  /** The slug that a page gets with another title. */
  async rename(path: string, title: string): Promise<string> {
    const ids = this.#ids(() => title);
    for (let attempt = 0; ; attempt++) {
      const slug = slugFor(slugify(title), attempt);
      if (await ids.change(path, slug)) return slug;
    }
  }

  /** The slug of a new page with this title. */
  async begin(path: string, title: string): Promise<string> {
    this.#titles.set(path, title);
    return await this.slugOf(path);
  }

  /** A folder's slug is that of the note which was just made for it. */
  takePlace(folder: string, note: string): void {
    this.#ids(() => undefined).inherit(folder, note);
  }

  /** The id that never changes. */
  async idOf(path: string): Promise<string> {
    const ids = this.#vault.ids({ name: 'inklings page', reusable: false, make: () => randomUUID() });
    return (await ids.of([path])).get(path) ?? '';
  }

  /** Whether any note lies in this folder. */
  async hasNotes(folder: string): Promise<boolean> {
    const pathGlob = `${literalGlob(folder)}/**`;
    return (await this.#vault.list({ kinds: ['note'], pathGlob }, 'path', { limit: 1 })).total > 0;
  }

  /** Every page, by path. */
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
        // What was tried for one page of a title need not be tried for the next.
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

/** Folders are pages too: that of its name, or where there is none the folder itself. */
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

/** Where the children of a page are. */
export function childFolder(path: string): string {
  return path.replace(/\.md$/i, '');
}

/** What the system calls a title has nothing to do with the text: the property, or the name of the file. */
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
