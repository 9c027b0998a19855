import type { FileLookup } from '../notes/links/resolve.ts';
import { nameKey } from '../notes/path.ts';

/** Looks up files by name and by id for link resolution. */
export function lookup(
  files: readonly (readonly [path: string, ids: readonly (string | undefined)[]])[],
): FileLookup & { byId(id: string): readonly string[] } {
  const names = new Map<string, string[]>();
  const byId = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, path: string) => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [path]);
    else if (!known.includes(path)) known.push(path);
  };
  for (const [path, ids] of files) {
    add(names, nameKey(path), path);
    for (const id of ids) if (id !== undefined) add(byId, id, path);
  }
  return { byName: (key) => names.get(key) ?? [], byId: (id) => byId.get(id) ?? [] };
}
