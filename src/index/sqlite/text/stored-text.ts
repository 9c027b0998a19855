import { isAscii } from 'node:buffer';
import type { Row } from '../../../sqlite/driver.ts';
import { Unpacker } from './pack.ts';

/** Size of the cache of dictionaries. A new one is trained when a vault has grown much, so few are in use. */
const MAX_UNPACKERS = 4;

/** SQLite's code for a damaged file, for which the index is rebuilt. */
const SQLITE_CORRUPT = 11;

/** Runs a query and returns one row. */
type Get = (sql: string, parameter: number) => Row | undefined;

/** Reads the texts of `body`, which are stored as they are or packed with a dictionary. */
export class StoredTexts {
  readonly #get: Get;
  readonly #unpackers = new Map<number, Unpacker>();

  constructor(get: Get) {
    this.#get = get;
  }

  /**
   * Reads a text.
   *
   * @param row with `packed` and `text`
   * @returns undefined for a file without text
   * @throws an error with SQLite's code of a damaged file, which `indexError` converts
   */
  textOf(row: Row | undefined): string | undefined {
    const bytes = this.bytesOf(row);
    return bytes && decode(bytes);
  }

  /** Like {@link textOf}, as UTF-8 in memory that the next call may overwrite. */
  bytesOf(row: Row | undefined): Uint8Array | undefined {
    if (!(row?.text instanceof Uint8Array)) return undefined;
    const dictionary = Number(row.packed ?? 0);
    if (dictionary === 0) return row.text;
    try {
      return this.#unpacker(dictionary).unpack(row.text);
    } catch (error) {
      throw Object.assign(new Error('A text in the index is damaged.', { cause: error }), {
        errcode: SQLITE_CORRUPT,
      });
    }
  }

  #unpacker(id: number): Unpacker {
    let unpacker = this.#unpackers.get(id);
    if (unpacker === undefined) {
      const data = this.#get('SELECT data FROM dictionary WHERE id = ?', id)?.data;
      if (!(data instanceof Uint8Array)) throw new RangeError(`There is no dictionary ${id}.`);
      // An id belongs to one dictionary forever.
      unpacker = new Unpacker(data);
      const oldest = this.#unpackers.size < MAX_UNPACKERS ? undefined : this.#unpackers.keys().next().value;
      if (oldest !== undefined) this.#unpackers.delete(oldest);
      this.#unpackers.set(id, unpacker);
    }
    return unpacker;
  }
}

/** Decodes UTF-8; a BOM and NUL are kept. */
function decode(text: Uint8Array): string {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  // Half of all notes are ASCII, for which latin1 is a fast copy.
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
