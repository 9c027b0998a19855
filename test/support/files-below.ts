import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a folder by path, but for those whose name, or whose folder's, begins with a dot. */
export function filesBelow(folder: string, prefix = ''): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) for (const [below, bytes] of filesBelow(folder, path)) found.set(below, bytes);
    else found.set(path, readFileSync(join(folder, path)));
  }
  return found;
}
