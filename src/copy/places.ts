import { randomBytes } from 'node:crypto';
import { JOPLIN_ID } from '../notes/dialects/joplin.ts';
import { nameOf } from '../notes/dialects/joplin-names.ts';
import { dirName, joinPath, readablePathProblem, stem } from '../notes/path.ts';
import { FoldersOfFiles, placeAmong } from '../stores/place-among.ts';
import type { StoreEntry } from '../stores/store.ts';
import { FreeNames, fileNameOf, partsOf } from './names.ts';
import type { Forms, PlanOptions } from './plan-options.ts';
import type { Intent } from './record.ts';
import type { NotCarried } from './report.ts';
import type { NoteLook } from './source.ts';

/** A file of the source and its path at the destination. */
export interface PlannedFile {
  /** Key in the {@link CopyRecord}: its id, or its path. */
  readonly key: string;
  readonly entry: StoreEntry;
  readonly to: string;
  /** Id at the destination; undefined when it has no ids. */
  readonly id: string | undefined;
  /** Title of the note, for a destination that stores titles. */
  readonly title: string;
}

/** Assigns each file its path and id at the destination. */
export class Planner {
  readonly files: PlannedFile[] = [];
  readonly notCarried: NotCarried[] = [];
  readonly #options: PlanOptions;
  readonly #forms: Forms;
  readonly #names = new FreeNames();
  readonly #ids = new Set<string>();
  readonly #folders: FoldersOfFiles;

  constructor(
    options: PlanOptions,
    forms: Forms,
    there: readonly StoreEntry[],
    trashed: ReadonlySet<string>,
  ) {
    this.#options = options;
    this.#forms = forms;
    this.#folders = new FoldersOfFiles(there.map(({ path }) => path));
    for (const { id } of there) if (id !== undefined) this.#ids.add(id);
    for (const id of trashed) this.#ids.add(id);
  }

  /**
   * Plans one file.
   * @param at its path relative to the copied folder
   */
  place(entry: StoreEntry, at: string, look: NoteLook | undefined): void {
    const { record } = this.#options;
    const key = keyOf(entry);
    const intent = record.intents.get(key);
    const title = look?.title ?? stem(at);
    const path = intent?.path ?? this.#pathFor(entry, at, title);
    if (intent !== undefined) this.#names.take(path);
    const problem = this.#problemAt(path, entry);
    if (problem !== undefined) {
      this.notCarried.push({ path: entry.path, ...problem });
      return;
    }
    const id = this.#forms.to.byId ? this.#idFor(entry, intent, look) : undefined;
    this.files.push({ key, entry, to: path, id, title });
  }

  #pathFor(entry: StoreEntry, at: string, title: string): string {
    const { folder, stem: name, ending } = partsOf(at);
    const isNote = entry.kind === 'note';
    const { from, to } = this.#forms;
    let wanted = name;
    if (to.byId && isNote && !from.byId) wanted = nameOf(title);
    else if (!to.byId && from.byId) wanted = fileNameOf(isNote ? title : name);
    const into = !to.byId && from.byId ? folderNames(folder) : folder;
    const whole = joinPath(this.#options.to.folder, joinPath(into, `${wanted}${ending}`));
    const { path } = placeAmong(this.#folders, whole);
    return this.#names.free(dirName(path), wanted, ending);
  }

  #problemAt(path: string, { kind }: StoreEntry): Omit<NotCarried, 'path'> | undefined {
    const { to } = this.#options;
    const problem = readablePathProblem(path);
    if (problem !== undefined) return { code: 'invalid_path', reason: `Its path there ${problem.reason}.` };
    if (!to.mayWrite(path))
      return { code: 'forbidden', reason: 'The path rules of the destination do not let it be written.' };
    if (to.store.kind === 'joplin' && kind === 'note' && dirName(path) === '')
      return {
        code: 'invalid_path',
        reason: 'Joplin keeps every note in a notebook: name one with --to-folder.',
      };
    return undefined;
  }

  #idFor(entry: StoreEntry, intent: Intent | undefined, look: NoteLook | undefined): string {
    if (intent?.id !== undefined) return intent.id;
    const own = look?.id ?? entry.id;
    const id =
      own !== undefined && JOPLIN_ID.test(own) && !this.#ids.has(own) ? own : randomBytes(16).toString('hex');
    this.#ids.add(id);
    return id;
  }
}

/** Key of a file in the {@link CopyRecord}: its id, or its path. */
export function keyOf({ id, path }: StoreEntry): string {
  return id ?? path;
}

/** A folder path whose names may contain any characters, with names that every system can store. */
export function folderNames(path: string): string {
  return path === '' ? '' : path.split('/').map(fileNameOf).join('/');
}
