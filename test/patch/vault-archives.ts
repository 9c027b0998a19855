import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

export interface ArchivedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * The files of one `.tar.gz`, read in memory: unpacking tens of thousands of small notes to a disk takes
 * far longer than editing them. Understands ustar prefixes, GNU long names and pax paths.
 */
export function filesOfArchive(archive: string): readonly ArchivedFile[] {
  const tar = gunzipSync(readFileSync(archive));
  const files: ArchivedFile[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(field(header, 124, 12).trim(), 8) || 0;
    const kind = String.fromCharCode(header[156] ?? 0);
    const bytes = tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (kind === 'L') longName = new TextDecoder().decode(bytes).replace(/\0.*$/s, '');
    else if (kind === 'x') longName = /\d+ path=(.*)\n/.exec(new TextDecoder().decode(bytes))?.[1];
    else {
      const prefix = field(header, 345, 155);
      const name = longName ?? `${prefix === '' ? '' : `${prefix}/`}${field(header, 0, 100)}`;
      longName = undefined;
      if (kind === '0' || kind === '\0') files.push({ path: name, bytes });
    }
  }
  return files;
}

/** Paths of the archives in a folder, sorted. */
export function archivesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tar.gz'))
    .sort()
    .map((name) => join(folder, name));
}

function field(header: Uint8Array, start: number, length: number): string {
  const bytes = header.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}
