import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The SHA-256 of one file, in hex. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Names everything a model's vectors depend on: 12 hex digits over the names and contents of its files.
 * A model that is replaced under the same name gets other vectors than before.
 */
export async function modelFingerprint(root: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size } = await stat(join(root, file));
    hash.update(`${file}\0${size}\0${await fileDigest(join(root, file))}\0`);
  }
  return hash.digest('hex').slice(0, 12);
}
