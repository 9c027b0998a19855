import { baseName, joinPath } from '../notes/path.ts';
import type { StoreEntry } from '../stores/store.ts';
import { lookup } from './file-lookup.ts';
import { type CopyEnd, formOf, within } from './home.ts';
import type { LinkMap } from './links/link-map.ts';
import { folderNames, keyOf, type PlannedFile, Planner } from './places.ts';
import type { Forms, PlanOptions } from './plan-options.ts';
import type { NotCarried } from './report.ts';
import { looked, type NoteLook } from './source.ts';

export interface CopyPlan extends Forms {
  readonly files: readonly PlannedFile[];
  /** Folders without files that the destination needs. */
  readonly emptyFolders: readonly string[];
  readonly links: LinkMap;
  /** Files at the destination, by path in NFC. */
  readonly there: ReadonlyMap<string, StoreEntry>;
  /** Ids of files at the destination. */
  readonly thereById: ReadonlySet<string>;
  /** Ids in the trash of the destination. */
  readonly trashed: ReadonlySet<string>;
  readonly notCarried: readonly NotCarried[];
  readonly remarks: readonly string[];
}

/** Destination folder of attachments that are outside the copied folder but linked from it. */
const OUTSIDE = '_resources';

/** Reads both stores and decides the path and id of every file. Writes nothing. */
export async function planCopy(options: PlanOptions): Promise<CopyPlan> {
  const { from, to, record, signal } = options;
  const forms = { from: await formOf(from.store), to: await formOf(to.store) };
  const listing = await from.store.list('', signal);
  const entries = listing.entries.filter(({ path }) => from.mayRead(path));
  const notCarried: NotCarried[] = listing.problems
    .filter(({ path }) => from.mayRead(path) && within(from.folder, path) !== undefined)
    .map(({ path, code, message }) => ({ path, code, reason: message }));
  const looks = await looked(entries, forms, options);
  notCarried.push(...looks.notCarried);
  const there = await to.store.list('', signal);
  const trashed = forms.to.byId ? await trashedIds(to) : new Set<string>();
  const planner = new Planner(options, forms, there.entries, trashed);
  for (const entry of byAge(entries)) {
    if (looks.leftOut.has(entry.path)) continue;
    const inside = within(from.folder, entry.path);
    const comesAlong = inside === undefined && entry.kind !== 'note' && looks.leadsTo.has(entry.path);
    const at = inside ?? (comesAlong ? joinPath(OUTSIDE, baseName(entry.path)) : undefined);
    if (at !== undefined) planner.place(entry, at, looks.notes.get(entry.path));
  }
  notCarried.push(...planner.notCarried);
  const folders = await emptyFolders(options, forms);
  return {
    ...forms,
    files: planner.files,
    emptyFolders: folders.paths,
    links: linkMap(entries, looks.notes, planner.files, there.entries, forms),
    there: new Map(there.entries.map((entry) => [entry.path.normalize('NFC'), entry])),
    thereById: new Set(there.entries.flatMap(({ id }) => id ?? [])),
    trashed,
    notCarried,
    remarks: [...looks.remarks, ...folders.remarks, ...(await leftAside(from))],
  };
  function byAge(all: readonly StoreEntry[]): readonly StoreEntry[] {
    // Of several files with one name the oldest keeps it, independent of the order of the listing; files of
    // an earlier run come first.
    return [...all].sort(
      (one, other) =>
        Number(record.intents.has(keyOf(other))) - Number(record.intents.has(keyOf(one))) ||
        one.birthtimeMs - other.birthtimeMs ||
        (one.path < other.path ? -1 : 1),
    );
  }
}

async function trashedIds({ store }: CopyEnd): Promise<ReadonlySet<string>> {
  const trash = await store.listTrash();
  return new Set(trash.map(({ trashPath }) => baseName(trashPath)));
}

function linkMap(
  entries: readonly StoreEntry[],
  notes: ReadonlyMap<string, NoteLook>,
  files: readonly PlannedFile[],
  there: readonly StoreEntry[],
  { from, to }: Forms,
): LinkMap {
  const targets = new Map(files.map(({ entry, to: path, id }) => [entry.path, { path, id }]));
  const idsOf = (entry: StoreEntry) => [entry.id, notes.get(entry.path)?.id];
  const paths = new Set([...files.map((file) => file.to), ...there.map(({ path }) => path)]);
  return {
    from: { ...from, files: lookup(entries.map((entry) => [entry.path, idsOf(entry)])) },
    to: { ...to, files: lookup([...paths].map((path) => [path, []])) },
    target: (path) => targets.get(path),
  };
}

/** Folders without files, when both stores have such folders. */
async function emptyFolders(
  { from, to, signal }: PlanOptions,
  forms: Forms,
): Promise<{ paths: readonly string[]; remarks: readonly string[] }> {
  const all = (await from.store.folders?.(signal)) ?? [];
  const inside = all
    .filter(({ path, isEmpty }) => isEmpty && from.mayRead(path))
    .flatMap(({ path }) => within(from.folder, path) ?? []);
  if (inside.length === 0) return { paths: [], remarks: [] };
  if (to.store.makeFolder === undefined)
    return {
      paths: [],
      remarks: [`Folders without a file are not carried, as the destination has none: ${inside.join(', ')}.`],
    };
  const named = (path: string) => (forms.from.byId && !forms.to.byId ? folderNames(path) : path);
  const paths = inside.map((path) => joinPath(to.folder, named(path))).filter((path) => to.mayWrite(path));
  return { paths, remarks: [] };
}

/** Dot folders contain settings of other programs, not notes. */
async function leftAside({ store, folder }: CopyEnd): Promise<readonly string[]> {
  const hidden = (await store.topNames()).filter((name) => name.startsWith('.'));
  return folder !== '' || hidden.length === 0 || store.kind !== 'folder'
    ? []
    : [`Files and folders whose names begin with a dot are not carried: ${[...hidden].sort().join(', ')}.`];
}
