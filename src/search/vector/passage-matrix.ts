import type { Pacer } from '../pacer.ts';
import { createKernel, type ScanKernel } from './kernel.ts';
import { likelyFloor } from './likely-floor.ts';
import { widen } from './quantise.ts';
import { Top } from './top.ts';

/** Vectors of one note's passages, row by row: `bytes × scale` of the row gives the components. */
export interface NoteVectors {
  readonly count: number;
  readonly bytes: Int8Array;
  readonly scales: Float32Array;
}

export interface PassageScore {
  readonly note: number;
  readonly seq: number;
  /** Cosine, −1..1. */
  readonly score: number;
}

export interface SearchOptions {
  /** Which notes count; all when left out. */
  readonly allowed?: (note: number) => boolean;
  /** Lets other requests in between blocks of a large matrix. */
  readonly pacer?: Pacer;
}

/** What every passage scores for one query. A note put or removed since keeps its old score or has none. */
export interface Scan {
  /** The notes of the `limit` nearest passages. */
  nearest(limit: number, allowed?: (note: number) => boolean): ReadonlySet<number>;
  /** A note's passage nearest to the query; undefined when it has none. */
  best(note: number): PassageScore | undefined;
  /** Cosines of a note's passages, in order. */
  passages(note: number): readonly number[];
}

/** Rows are kept in blocks, so that growing moves nothing; a block is scanned in well under 1 ms. A multiple of four, which are scanned together. */
const BLOCK_ROWS = 8192;
/** Largest component of a query, see int8-scan.wat. */
const QUERY_LIMIT = 16_383;

interface Views {
  readonly bytes: Int8Array;
  readonly floats: Float32Array;
}

interface Block {
  readonly rows: number;
  readonly scales: number;
}

/** All passage vectors of a vault, searched exactly: each row is multiplied. No build time; put and remove at any moment. */
export class PassageMatrix {
  readonly #kernel: ScanKernel;
  readonly #stride: number;
  readonly #query: number;
  readonly #queryLimit: number;
  readonly #out: number;
  readonly #blocks: Block[] = [];
  readonly #rowsOf = new Map<number, Int32Array>();
  readonly #free: number[] = [];
  #owners = new Int32Array(BLOCK_ROWS);
  #seqs = new Int32Array(BLOCK_ROWS);
  #used = 0;
  #cached: Views | undefined;

  constructor(
    readonly dimensions: number,
    options: { simd?: boolean } = {},
  ) {
    this.#kernel = createKernel(options);
    this.#stride = Math.max(16, (dimensions + 15) & ~15);
    this.#query = this.#kernel.allocate(this.#stride * 2);
    this.#queryLimit = Math.min(QUERY_LIMIT, Math.floor((2 ** 31 - 1) / (32 * this.#stride)));
    this.#out = this.#kernel.allocate(BLOCK_ROWS * 4);
  }

  get simd(): boolean {
    return this.#kernel.simd;
  }

  get notes(): number {
    return this.#rowsOf.size;
  }

  get passages(): number {
    return this.#used - this.#free.length;
  }

  /** Bytes held for rows. */
  get byteLength(): number {
    return this.#kernel.buffer().byteLength + this.#owners.byteLength + this.#seqs.byteLength;
  }

  /** Replaces a note's passages. @param note its id, above 0 */
  put(note: number, vectors: NoteVectors): void {
    this.remove(note);
    const rows = new Int32Array(vectors.count);
    for (let seq = 0; seq < vectors.count; seq += 1) {
      const row = this.#free.pop() ?? this.#newRow();
      rows[seq] = row;
      this.#owners[row] = note;
      this.#seqs[row] = seq;
      const { bytes, floats } = this.#views();
      const from = seq * this.dimensions;
      bytes.set(vectors.bytes.subarray(from, from + this.dimensions), this.#rowAt(row));
      floats[this.#scaleAt(row)] = vectors.scales[seq] ?? 0;
    }
    this.#rowsOf.set(note, rows);
  }

  remove(note: number): void {
    for (const row of this.#rowsOf.get(note) ?? []) {
      this.#owners[row] = 0;
      this.#free.push(row);
    }
    this.#rowsOf.delete(note);
  }

  has(note: number): boolean {
    return this.#rowsOf.has(note);
  }

  /** The passages nearest to a query, best first, of any notes. @param query of length 1 */
  async search(query: Float32Array, limit: number, options: SearchOptions = {}): Promise<PassageScore[]> {
    const scores = await this.#scores(query, options.pacer);
    if (scores === undefined) return [];
    return this.#top(scores, limit, options.allowed)
      .sorted()
      .map(({ item, score }) => ({ ...this.#at(item), score }))
      .sort((a, b) => b.score - a.score || a.note - b.note || a.seq - b.seq);
  }

  /** Every passage's cosine with a query. @param query of length 1, or zeros: then all are 0 @param pacer as in {@link search} */
  async scan(query: Float32Array, pacer?: Pacer): Promise<Scan> {
    const scores = await this.#scores(query, pacer);
    const rowsOf = (note: number) => this.#rowsOf.get(note) ?? NO_ROWS;
    return {
      nearest: (limit, allowed) => {
        const notes = new Set<number>();
        if (scores === undefined) return notes;
        for (const row of this.#top(scores, limit, allowed).items()) notes.add(this.#owners[row] as number);
        notes.delete(0);
        return notes;
      },
      best(note) {
        const rows = rowsOf(note);
        let best: PassageScore | undefined;
        let highest = Number.NEGATIVE_INFINITY;
        for (let seq = 0; seq < rows.length; seq += 1) {
          const score = scores?.[rows[seq] as number] ?? 0;
          if (score <= highest) continue;
          highest = score;
          best = { note, seq, score };
        }
        return best;
      },
      passages: (note) => Array.from(rowsOf(note), (row) => scores?.[row] ?? 0),
    };
  }

  /** One passage's vector, or undefined when there is none. */
  vector(note: number, seq: number): Float32Array | undefined {
    const row = this.#rowsOf.get(note)?.[seq];
    if (row === undefined) return undefined;
    const at = this.#rowAt(row);
    const { bytes, floats } = this.#views();
    const scale = floats[this.#scaleAt(row)] as number;
    const vector = new Float32Array(this.dimensions);
    for (let d = 0; d < vector.length; d += 1) vector[d] = (bytes[at + d] as number) * scale;
    return vector;
  }

  passagesOf(note: number): number {
    return this.#rowsOf.get(note)?.length ?? 0;
  }

  /** One number per row; undefined for a query of zeros. */
  async #scores(query: Float32Array, pacer: Pacer | undefined): Promise<Float32Array | undefined> {
    const { lanes, scale } = widen(query, this.#queryLimit);
    if (scale === 0) return undefined;
    const scores = new Float32Array(this.#used);
    for (let index = 0; index < this.#blocks.length; index += 1) {
      // Another search may have written its query while this one waited.
      new Int16Array(this.#kernel.buffer(), this.#query, this.dimensions).set(lanes);
      const first = index * BLOCK_ROWS;
      const count = Math.min(BLOCK_ROWS, scores.length - first);
      if (count <= 0) break;
      const { rows, scales } = this.#blocks[index] as Block;
      this.#kernel.scan(rows, scales, count, this.#stride, this.#query, scale, this.#out);
      scores.set(new Float32Array(this.#kernel.buffer(), this.#out, count), first);
      if (pacer?.due) await pacer.pause();
    }
    return scores;
  }

  #top(scores: Float32Array, limit: number, allowed: SearchOptions['allowed']): Top {
    // The number of visible rows above a floor is unknown.
    if (allowed === undefined) {
      const likely = new Top(limit);
      if (this.#offer(likely, scores, likelyFloor(scores, this.#owners, limit)) >= limit) return likely;
    }
    const top = new Top(limit);
    this.#offer(top, scores, Number.NEGATIVE_INFINITY, allowed);
    return top;
  }

  /** @returns of how many rows, none of them below `least` */
  #offer(top: Top, scores: Float32Array, least: number, allowed?: SearchOptions['allowed']): number {
    const owners = this.#owners;
    let floor = least;
    let offered = 0;
    for (let row = 0; row < scores.length; row += 1) {
      const score = scores[row] as number;
      if (score < floor) continue;
      const owner = owners[row] as number;
      if (owner === 0 || (allowed !== undefined && !allowed(owner))) continue;
      top.offer(row, score);
      offered += 1;
      floor = Math.max(least, top.floor);
    }
    return offered;
  }

  #at(row: number): { note: number; seq: number } {
    return { note: this.#owners[row] as number, seq: this.#seqs[row] as number };
  }

  /** Growing the memory detaches views made before. */
  #views(): Views {
    const buffer = this.#kernel.buffer();
    if (this.#cached?.bytes.buffer !== buffer)
      this.#cached = { bytes: new Int8Array(buffer), floats: new Float32Array(buffer) };
    return this.#cached;
  }

  #rowAt(row: number): number {
    return this.#block(row).rows + (row % BLOCK_ROWS) * this.#stride;
  }

  #scaleAt(row: number): number {
    return this.#block(row).scales / 4 + (row % BLOCK_ROWS);
  }

  #block(row: number): Block {
    return this.#blocks[Math.floor(row / BLOCK_ROWS)] as Block;
  }

  #newRow(): number {
    const row = this.#used;
    if (row === this.#blocks.length * BLOCK_ROWS) {
      this.#blocks.push({
        rows: this.#kernel.allocate(BLOCK_ROWS * this.#stride),
        scales: this.#kernel.allocate(BLOCK_ROWS * 4),
      });
      if (row >= this.#owners.length) {
        this.#owners = grown(this.#owners);
        this.#seqs = grown(this.#seqs);
      }
    }
    this.#used += 1;
    return row;
  }
}

const NO_ROWS = new Int32Array(0);

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
