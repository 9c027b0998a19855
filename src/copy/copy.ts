import { isLecternError, LecternError } from '../errors.ts';
import { etagOf } from '../notes/etag.ts';
import { dirName, joinPath } from '../notes/path.ts';
import { encodeText } from '../notes/text.ts';
import { etagOfFile } from '../stores/etag-of-file.ts';
import { isAway } from '../stores/presence.ts';
import { inParallel } from '../stores/turns.ts';
import type { CopyEnd } from './home.ts';
import { LOOSE_FILES_KEY, LOOSE_FILES_NAME, looseFilesNote } from './loose-files.ts';
import type { PlannedFile } from './places.ts';
import { type CopyPlan, planCopy } from './plan.ts';
import { factsLost, type Prepared, prepared } from './prepare.ts';
import type { CopyRecord, Intent } from './record.ts';
import type { CopyReport, Count, Difference, NotCarried } from './report.ts';
import { unread } from './source.ts';
import type { FrontMatter } from './text/text-of-facts.ts';
import { type Written, writeFile } from './write-file.ts';

export interface CopyOptions {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  readonly frontMatter: FrontMatter;
  readonly dryRun: boolean;
  readonly record: CopyRecord;
  readonly signal: AbortSignal;
  readonly onProgress: (what: 'Reading' | 'Copying', done: number, total: number) => void;
}

/** Files that are written in parallel. */
const AT_ONCE = 4;

/**
 * Copies notes from one vault to another with their links, attachments, tags, times and ids. Existing files
 * at the destination are not overwritten. An interrupted copy continues when it is called again with the same
 * record.
 *
 * @throws LecternError `unavailable` when a store becomes unreachable or `signal` aborts during the copy
 */
export async function copyVault(options: CopyOptions): Promise<CopyReport> {
  const started = Date.now();
  const { from, to, record, signal, onProgress } = options;
  const plan = await planCopy({
    from,
    to,
    record,
    signal,
    onRead: (done, total) => onProgress('Reading', done, total),
  });
  const run = new CopyRun(options, plan);
  try {
    await run.carry();
  } catch (error) {
    if (!isAway(error) && !signal.aborted) throw error;
    const why = isLecternError(error) ? error.message : 'It was stopped.';
    throw new LecternError('unavailable', `${run.done} of ${plan.files.length} files are copied. ${why}`, {
      cause: error,
      next: 'Run the same command again: it goes on from there.',
    });
  }
  return { ...run.report(), ms: Date.now() - started };
}

class CopyRun {
  readonly #options: CopyOptions;
  readonly #plan: CopyPlan;
  readonly #notCarried: NotCarried[];
  readonly #differences: Difference[] = [];
  readonly #remarks: string[];
  readonly #counts: Record<'note' | 'attachment' | 'folder', Count> = {
    note: { copied: 0, there: 0 },
    attachment: { copied: 0, there: 0 },
    folder: { copied: 0, there: 0 },
  };
  readonly #links = { mapped: 0, respelled: 0 };
  /** Ids that the copied notes link. */
  readonly #linked = new Set<string>();
  readonly #carried: PlannedFile[] = [];
  done = 0;

  constructor(options: CopyOptions, plan: CopyPlan) {
    this.#options = options;
    this.#plan = plan;
    this.#notCarried = [...plan.notCarried];
    this.#remarks = [...plan.remarks];
  }

  async carry(): Promise<void> {
    const { record, dryRun } = this.#options;
    const { files } = this.#plan;
    const begun = new Set(record.intents.keys());
    if (!dryRun) {
      const fresh = files.filter(({ key }) => !begun.has(key));
      await record.intend(new Map(fresh.map((file) => [file.key, intentOf(file)])));
    }
    await this.#makeFolders();
    // Attachments first, so that every linked one exists before its note.
    for (const isNote of [false, true]) {
      const some = files.filter(({ entry }) => (entry.kind === 'note') === isNote);
      await inParallel(some, AT_ONCE, (file) => this.#one(file, begun.has(file.key)));
    }
    await this.#keepLooseFiles();
  }

  async #one(file: PlannedFile, begun: boolean): Promise<void> {
    const { from, frontMatter, dryRun, signal, onProgress, record } = this.#options;
    signal.throwIfAborted();
    const { path } = file.entry;
    const stored = await from.store.read(path).catch(unread);
    if (!('bytes' in stored)) this.#fail(path, stored);
    else {
      const carried = record.carried.get(file.key);
      const isThere = carried !== undefined && this.#isThere(file);
      const version = etagOfFile(stored);
      if (isThere && carried.from !== version)
        this.#differ(path, 'text', 'It changed since it was copied; the copy is as it was.');
      const given = prepared(file, stored, this.#plan, frontMatter);
      for (const id of given.linked) this.#linked.add(id);
      if (isThere) this.#count(file, 'there', given);
      else if (dryRun) await this.#wouldWrite(file, given, begun);
      else await this.#write(file, given, version, begun);
    }
    this.done++;
    onProgress('Copying', this.done, this.#plan.files.length);
  }

  async #write(file: PlannedFile, given: Prepared, version: string, begun: boolean): Promise<void> {
    const { to, record } = this.#options;
    const { path } = file.entry;
    if (file.id !== undefined && this.#plan.trashed.has(file.id)) return this.#fail(path, IN_TRASH);
    let written: Written;
    try {
      written = await writeFile(to.store, file, given, begun);
    } catch (error) {
      return this.#fail(path, unread(error));
    }
    this.#count(file, written.outcome === 'made' ? 'copied' : 'there', given);
    const { bytes, entry } = written.file;
    if (etagOf(bytes) !== etagOf(given.bytes))
      this.#differ(path, 'text', `Read back from ${entry.path} it is not what was written.`);
    const lost = factsLost(given.origin.facts, this.#plan.to.byId ? entry.facts : given.origin.facts);
    if (lost.length > 0) this.#differ(path, 'facts', `Not kept there: ${lost.join(', ')}.`);
    await record.done(file.key, { from: version, to: etagOfFile(written.file) });
  }

  async #wouldWrite(file: PlannedFile, given: Prepared, begun: boolean): Promise<void> {
    const { path } = file.entry;
    const lies = this.#plan.there.get(file.to.normalize('NFC'));
    const there = lies && (await this.#options.to.store.read(lies.path).catch(() => undefined));
    if (file.id !== undefined && this.#plan.trashed.has(file.id)) this.#fail(path, IN_TRASH);
    else if (there && etagOf(there.bytes) === etagOf(given.bytes)) this.#count(file, 'there', given);
    else if (lies === undefined || (begun && this.#isThere(file))) this.#count(file, 'copied', given);
    else this.#fail(path, { code: 'exists', reason: `Something else is at ${file.to}.` });
  }

  #isThere({ to, id }: PlannedFile): boolean {
    const { there } = this.#plan;
    return id === undefined ? there.has(to.normalize('NFC')) : this.#plan.thereById.has(id);
  }

  #count(file: PlannedFile, how: keyof Count, { mapped, respelled, differences }: Prepared): void {
    this.#counts[file.entry.kind === 'note' ? 'note' : 'attachment'][how]++;
    this.#carried.push(file);
    this.#links.mapped += mapped;
    this.#links.respelled += respelled;
    this.#differences.push(...differences);
  }

  #fail(path: string, { code, reason }: Omit<NotCarried, 'path'>): void {
    this.#notCarried.push({ path, code, reason });
  }

  #differ(path: string, what: Difference['what'], detail: string): void {
    this.#differences.push({ path, what, detail });
  }

  async #makeFolders(): Promise<void> {
    const { to, dryRun, signal } = this.#options;
    const known = new Set((await to.store.folders?.(signal))?.map(({ path }) => path));
    for (const path of this.#plan.emptyFolders) {
      const isThere = known.has(path);
      if (!isThere && !dryRun) {
        try {
          await to.store.makeFolder?.(path);
        } catch (error) {
          this.#fail(path, unread(error));
          continue;
        }
      }
      this.#counts.folder[isThere ? 'there' : 'copied']++;
    }
  }

  /** Writes the note of {@link looseFilesNote}, or updates it unless it was changed at the destination. */
  async #keepLooseFiles(): Promise<void> {
    const { to, record, dryRun } = this.#options;
    if (to.store.kind !== 'joplin') return;
    const loose = this.#carried.flatMap(({ entry, id }) =>
      entry.kind === 'note' || id === undefined || this.#linked.has(id) ? [] : [{ path: entry.path, id }],
    );
    const path = joinPath(to.folder, LOOSE_FILES_NAME);
    if (loose.length === 0 || dirName(path) === '') return;
    const text = `${loose.length} files that no note links are kept by the note ${path}: Joplin would remove them after a while.`;
    this.#remarks.push(text);
    if (dryRun) return;
    const bytes = encodeText(looseFilesNote(loose));
    const known = record.intents.get(LOOSE_FILES_KEY);
    const there = known && (await to.store.read(known.path).catch(() => undefined));
    if (there === undefined) {
      await record.intend(new Map([[LOOSE_FILES_KEY, { path }]]));
      const { path: made } = await to.store.create(path, bytes);
      const version = etagOfFile(await to.store.read(made));
      await record.done(LOOSE_FILES_KEY, { from: version, to: version });
      return;
    }
    if (etagOf(there.bytes) === etagOf(bytes)) return;
    if (record.carried.get(LOOSE_FILES_KEY)?.to !== etagOfFile(there)) {
      this.#remarks.push(`${path} was changed there and is left as it is.`);
      return;
    }
    await to.store.replace(there.entry.path, bytes, { expectedEtag: etagOfFile(there) });
    const version = etagOfFile(await to.store.read(there.entry.path));
    await record.done(LOOSE_FILES_KEY, { from: version, to: version });
  }

  report(): Omit<CopyReport, 'ms'> {
    const { from, to, dryRun } = this.#options;
    return {
      from: from.store.location,
      to: to.store.location,
      dryRun,
      folder: to.folder,
      notes: this.#counts.note,
      attachments: this.#counts.attachment,
      folders: this.#counts.folder,
      links: this.#links,
      notCarried: this.#notCarried,
      differences: this.#differences,
      remarks: this.#remarks,
    };
  }
}

const IN_TRASH = {
  code: 'conflict',
  reason: 'It is in the trash of the destination: restore it there, or empty the trash.',
};

function intentOf({ to, id }: PlannedFile): Intent {
  return { path: to, ...(id !== undefined && { id }) };
}
