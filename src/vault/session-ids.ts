import type { NoteIds } from '../journal/note-ids.ts';
import { literalGlob } from '../notes/glob.ts';
import { fileKindOf } from '../notes/path.ts';
import type { Access } from './access.ts';
import { statVisible } from './locate.ts';
import type { IdScheme, SessionIds } from './note-ids.ts';
import type { VaultParts } from './parts.ts';

/** The ids of one kind as one caller sees them. */
export function sessionIds(
  { store, journal, reader }: Pick<VaultParts, 'store' | 'journal' | 'reader'>,
  access: Access,
  { name, ...scheme }: IdScheme,
): SessionIds {
  const view = scheme.readable === true ? access.filter?.key : undefined;
  const kind = { name: view === undefined ? name : `${name} ${view}`, reusable: scheme.reusable };
  /** Only ids of notes can be hidden. */
  const isShown = (path: string) => fileKindOf(path) !== 'note' || access.mayRead(path);

  /** An id whose file was removed by another program belongs to no note. */
  async function isHeld(id: string, ids: NoteIds): Promise<boolean> {
    const holder = ids.pathOf(id);
    if (holder === undefined || (await isThere(holder))) return true;
    ids.lost(holder);
    return !scheme.reusable;
  }

  async function isThere(path: string): Promise<boolean> {
    if (fileKindOf(path) === 'note') return (await store.stat(path))?.path === path;
    // Listing a folder may take long; usually the index contains a file in it.
    const pathGlob = `${literalGlob(path)}/**`;
    const indexed = await (await reader()).list({ pathGlob }, 'path', { limit: 1 });
    return indexed.total > 0 || (await store.list(path)).entries.length > 0;
  }

  if (scheme.ofStore === store.kind && store.idAt && store.pathOfId) {
    const { idAt, pathOfId } = store;
    return {
      async of(paths) {
        const known = new Map<string, string>();
        for (const path of paths.filter(isShown)) {
          const id = await idAt.call(store, path);
          if (id !== undefined) known.set(path, id);
        }
        return known;
      },
      async pathOf(id) {
        const path = await pathOfId.call(store, id);
        return path !== undefined && isShown(path) ? path : undefined;
      },
      // These ids are assigned by the store.
      change: async () => false,
      inherit: () => {},
    };
  }

  return {
    async of(paths) {
      const ids = journal().ids(kind);
      const wanted = paths.filter(isShown);
      let known = ids.known(wanted);
      const attempts = new Map<string, number>();
      for (;;) {
        const missing = wanted.filter((path) => !known.has(path));
        if (missing.length === 0) return known;
        const made = new Map(missing.map((path) => [path, scheme.make(path, attempts.get(path) ?? 0)]));
        const taken = ids.give(made);
        known = ids.known(wanted);
        for (const [path, id] of made)
          if (taken.has(id) && !known.has(path) && (await isHeld(id, ids)))
            attempts.set(path, (attempts.get(path) ?? 0) + 1);
      }
    },

    async pathOf(id) {
      const path = journal().ids(kind).pathOf(id);
      if (path === undefined || fileKindOf(path) !== 'note') return path;
      return (await statVisible(store, access, path))?.path === path ? path : undefined;
    },

    async change(path, id) {
      if (!isShown(path)) return false;
      const ids = journal().ids(kind);
      return ids.change(path, id) || (!(await isHeld(id, ids)) && ids.change(path, id));
    },

    inherit(from, to) {
      const ids = journal().ids(kind);
      const known = ids.known([from, to]);
      const id = known.get(from);
      if (id === undefined || known.has(to) || !isShown(from) || !isShown(to)) return;
      ids.lost(from);
      ids.give(new Map([[to, id]]));
    },
  };
}
