import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that is gone when the process ends, however it ends. */
export function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return folder;
}

/** An empty folder of that name, made anew when it was there. */
export function emptyFolder(...path: readonly string[]): string {
  const folder = join(...path);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** @returns bytes of all files below, 0 when there is no such folder */
export function folderBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  return filesBelow(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** Paths of all files in a folder and below it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
