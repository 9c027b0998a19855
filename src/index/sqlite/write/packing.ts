import { type Database, type Row, type Statement, transaction } from '../../../sqlite/driver.ts';
import { trainDictionary } from '../text/dictionary.ts';
import { DICTIONARY_LIMIT, Packer } from '../text/pack.ts';
import { StoredTexts } from '../text/stored-text.ts';
import { WITH_TEXT } from './fts.ts';

/** Fewest unpacked texts for which packing starts. */
const MIN_TEXTS = 64;
/** Most texts and bytes of one step, which takes about 10 ms. */
const MAX_TEXTS = 256;
const MAX_BYTES = 256 * 1024;
/** A new dictionary is trained when the notes have grown by this factor since the last. */
const GROWN = 4;
/** The training sample of a dictionary: total bytes, most notes, and most bytes from the start of each note. */
const SAMPLE_BYTES = 512 * 1024;
const SAMPLE_TEXTS = 400;
const SAMPLE_OF_EACH = 4 * 1024;
/** Largest size of a dictionary as a share of all text. */
const SHARE = 1 / 32;

/**
 * Packs stored texts in idle time, a few per step. A text is not packed when it is written, as the caller would
 * wait for it and notes are often written again soon.
 */
export class TextPacking {
  readonly #database: Database;
  readonly #sql: ReturnType<typeof statements>;
  #packer: { readonly dictionary: number; readonly packer: Packer } | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = statements(database);
  }

  /** Runs one step. @returns false when too few texts are unpacked */
  step(): boolean {
    if (this.#packer === undefined) {
      if (Number(this.#sql.countLoose.get(MIN_TEXTS)?.n) < MIN_TEXTS) return false;
      this.#packer = transaction(this.#database, () => this.#current());
      return true;
    }
    const { dictionary, packer } = this.#packer;
    const packed = transaction(this.#database, () => this.#pack(dictionary, packer));
    // A packer takes half a megabyte of memory.
    if (packed === 0) this.#packer = undefined;
    return packed > 0;
  }

  #pack(dictionary: number, packer: Packer): number {
    const rows: Row[] = [];
    let bytes = 0;
    for (const row of this.#sql.loose.iterate(MAX_TEXTS)) {
      rows.push(row);
      bytes += row.text instanceof Uint8Array ? row.text.length : 0;
      if (bytes >= MAX_BYTES) break;
    }
    // Rows are deleted before they are inserted, as rows that shrink in place would leave every page half
    // empty.
    for (const { id } of rows) this.#sql.remove.run(id ?? null);
    for (const { id, etag, text } of rows) {
      const packed = text instanceof Uint8Array ? packer.pack(text) : undefined;
      this.#sql.insert.run(
        id ?? null,
        etag ?? null,
        packed === undefined ? 0 : dictionary,
        packed ?? text ?? null,
      );
    }
    return rows.length;
  }

  /** The newest dictionary, or a new one when the notes have grown too much since. */
  #current(): { dictionary: number; packer: Packer } {
    const bytes = Number(this.#sql.bytes.get()?.n ?? 0);
    const newest = this.#sql.newest.get();
    if (newest?.data instanceof Uint8Array && bytes <= GROWN * Number(newest.bytes))
      return { dictionary: Number(newest.id), packer: new Packer(newest.data) };
    const data = trainDictionary(this.#sample(), Math.min(DICTIONARY_LIMIT, Math.floor(bytes * SHARE)));
    const { lastInsertRowid } = this.#sql.add.run(bytes, data);
    return { dictionary: Number(lastInsertRowid), packer: new Packer(data) };
  }

  /** The starts of notes spread evenly over the vault. */
  #sample(): readonly Uint8Array[] {
    const texts = new StoredTexts((sql, id) => this.#database.prepare(sql).get(id));
    const ids = this.#sql.ids.all().map(({ id }) => Number(id));
    const apart = Math.max(1, ids.length / SAMPLE_TEXTS);
    const sample: Uint8Array[] = [];
    let bytes = 0;
    for (let at = 0; at < ids.length && bytes < SAMPLE_BYTES; at += apart) {
      const text = texts.bytesOf(this.#sql.text.get(ids[Math.floor(at)] ?? 0));
      if (text === undefined) continue;
      sample.push(text.slice(0, SAMPLE_OF_EACH));
      bytes += Math.min(text.length, SAMPLE_OF_EACH);
    }
    return sample;
  }
}

function statements(database: Database) {
  const prepare = (sql: string): Statement => database.prepare(sql);
  return {
    countLoose: prepare('SELECT count(*) AS n FROM (SELECT 1 FROM body WHERE packed IS NULL LIMIT ?)'),
    loose: prepare('SELECT id, etag, text FROM body WHERE packed IS NULL ORDER BY id LIMIT ?'),
    remove: prepare('DELETE FROM body WHERE id = ?'),
    insert: prepare('INSERT INTO body (id, etag, packed, text) VALUES (?, ?, ?, ?)'),
    bytes: prepare("SELECT total(size) AS n FROM file WHERE kind = 'note'"),
    newest: prepare('SELECT id, bytes, data FROM dictionary ORDER BY id DESC LIMIT 1'),
    add: prepare('INSERT INTO dictionary (bytes, data) VALUES (?, ?)'),
    ids: prepare(`SELECT id FROM ${WITH_TEXT}`),
    text: prepare('SELECT packed, text FROM body WHERE id = ?'),
  };
}
