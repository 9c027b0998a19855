import { readablePathProblem } from '../../src/notes/path.ts';
import type { Store, StoreChange, StoredFile, StoreEntry } from '../../src/stores/store.ts';

/** A store as it is seen from one of its folders: for a store that keeps nothing at its top. */
export function within(store: Store, folder: string): Store {
  const prefix = `${folder}/`;
  // What no store takes is to be refused as it is.
  const down = (path: string) => (readablePathProblem(path) === undefined ? prefix + path : path);
  const up = (path: string) => path.slice(prefix.length);
  const entry = (given: StoreEntry): StoreEntry => ({ ...given, path: up(given.path) });
  const file = (given: StoredFile): StoredFile => ({ ...given, entry: entry(given.entry) });
  const changes = (given: readonly StoreChange[]) =>
    given
      .filter(({ path }) => path.startsWith(prefix))
      .map((change) => ({ ...change, path: up(change.path) }));
  return {
    kind: store.kind,
    location: store.location,
    capabilities: store.capabilities,
    async list(below = '', signal) {
      const listing = await store.list(below === '' ? folder : prefix + below, signal);
      return { ...listing, entries: listing.entries.map(entry) };
    },
    async stat(path) {
      const found = await store.stat(down(path));
      return found && entry(found);
    },
    read: async (path) => file(await store.read(down(path))),
    topNames: () => store.topNames(),
    readSetting: (path) => store.readSetting(path),
    async placeFor(path) {
      const { path: place, madeFolder } = await store.placeFor(down(path));
      return { path: up(place), madeFolder: madeFolder === undefined ? undefined : up(madeFolder) };
    },
    create: async (path, bytes, origin) => entry(await store.create(down(path), bytes, origin)),
    replace: async (path, bytes, options) => entry(await store.replace(down(path), bytes, options)),
    ...(store.setFacts && {
      setFacts: async (path, facts, options) =>
        entry((await store.setFacts?.(down(path), facts, options)) as StoreEntry),
    }),
    move: async (from, to) => entry(await store.move(down(from), down(to))),
    moveFolder: (from, to) => store.moveFolder(down(from), down(to)),
    pruneFolders: (path, top) => store.pruneFolders(down(path), down(top)),
    trash: (path, place) => store.trash(down(path), place),
    remove: (path, options) => store.remove(down(path), options),
    listTrash: () => store.listTrash(),
    restore: async (trashPath, to) => entry(await store.restore(trashPath, down(to))),
    async changesSince(cursor, signal) {
      const found = await store.changesSince?.(cursor, signal);
      return found && { ...found, changes: changes(found.changes) };
    },
    watch: (listener) => store.watch((seen) => listener(changes(seen))),
    close: () => store.close(),
  };
}
