import { existsSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** The parent folders of a file that do not exist, innermost first. */
export function missingFolders(file: string): string[] {
  const missing: string[] = [];
  let folder = dirname(file);
  // The root is its own parent; on Windows it may be a drive that does not exist.
  for (; !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) missing.push(folder);
  return missing;
}

/** Removes a folder if it is empty. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is in use, or was removed already.
  }
}
