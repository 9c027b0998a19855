import { isAscii } from 'node:buffer';
import type { Row } from '../../../sqlite/driver.ts';
import { Unpacker } from './pack.ts';

/** Dictionaries are made anew when a vault has grown much: the last ones serve nearly all notes. */
const MOST_UNPACKERS = 4;

/** SQLite's code for a file that is damaged, which an index is rebuilt for. */
const SQLITE_CORRUPT = 11;

/** Runs a query for one row. */
type Get = (sql: string, parameter: number) => Row | undefined;

/** Reads texts as `body` holds them: as they are, or packed with one of the dictionaries. */
export class StoredTexts {
  readonly #get: Get;
  readonly #unpackers = new Map<number, Unpacker>();

  constructor(get: Get) {
    this.#get = get;
  }

  /** @param row with `packed` and `text`. @returns undefined for a file without text */
  textOf(row: Row | undefined): string | undefined {
    const bytes = this.bytesOf(row);
    return bytes && decode(bytes);
  }

  /** As UTF-8, in memory that the next call may write over. */
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
      // A number means one dictionary for ever.
      unpacker = new Unpacker(data);
      const oldest = this.#unpackers.size < MOST_UNPACKERS ? undefined : this.#unpackers.keys().next().value;
      if (oldest !== undefined) this.#unpackers.delete(oldest);
      this.#unpackers.set(id, unpacker);
    }
    return unpacker;
  }
}

/** Stored text as it was given, BOM and NUL included. */
function decode(text: Uint8Array): string {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  // Half of all notes are: these are copied, the others decoded.
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
