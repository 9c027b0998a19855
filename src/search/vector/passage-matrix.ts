import type { Pacer } from '../pacer.ts';
import { createKernel, type ScanKernel } from './kernel.ts';
import { quantise } from './quantise.ts';
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

/** Rows are kept in blocks, so that growing moves nothing; a block is scanned in well under 1 ms. */
const BLOCK_ROWS = 8192;
/** Candidates the byte scan may rank too low: this many more than asked for are scored again. */
const RESCORE_EXTRA = 50;

interface Views {
  readonly bytes: Int8Array;
  readonly floats: Float32Array;
}

interface Block {
  readonly rows: number;
  readonly scales: number;
}

/**
 * All passage vectors of a vault, searched exactly: each row is multiplied with the query as bytes,
 * and the best rows again with the query as it is. No build time; put and remove at any moment.
 */
export class PassageMatrix {
  readonly #kernel: ScanKernel;
  readonly #stride: number;
  readonly #query: number;
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
    this.#query = this.#kernel.allocate(this.#stride);
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
    const { bytes, scale } = quantise(query);
    if (scale === 0) return [];
    const { allowed, pacer } = options;
    const top = new Top(limit + RESCORE_EXTRA);
    for (let index = 0; index < this.#blocks.length; index += 1) {
      // Another search may have written its query while this one waited.
      new Int8Array(this.#kernel.buffer(), this.#query, this.dimensions).set(bytes);
      const first = index * BLOCK_ROWS;
      const count = Math.min(BLOCK_ROWS, this.#used - first);
      const { rows, scales } = this.#blocks[index] as Block;
      this.#kernel.scan(rows, scales, count, this.#stride, this.#query, scale, this.#out);
      const scores = new Float32Array(this.#kernel.buffer(), this.#out, count);
      for (let within = 0; within < count; within += 1) {
        const score = scores[within] as number;
        if (score <= top.floor) continue;
        const owner = this.#owners[first + within] as number;
        if (owner !== 0 && (allowed === undefined || allowed(owner))) top.offer(first + within, score);
      }
      if (pacer?.due) await pacer.pause();
    }
    return top
      .sorted()
      .filter(({ item }) => this.#owners[item] !== 0)
      .map(({ item }) => ({
        note: this.#owners[item] as number,
        seq: this.#seqs[item] as number,
        score: this.#exact(item, query),
      }))
      .sort((a, b) => b.score - a.score || a.note - b.note || a.seq - b.seq)
      .slice(0, limit);
  }

  /** The cosine of one passage with a query of length 1; 0 when there is no such passage. */
  score(note: number, seq: number, query: Float32Array): number {
    const row = this.#rowsOf.get(note)?.[seq];
    return row === undefined ? 0 : this.#exact(row, query);
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

  #exact(row: number, query: Float32Array): number {
    const { bytes, floats } = this.#views();
    const at = this.#rowAt(row);
    let sum = 0;
    for (let d = 0; d < this.dimensions; d += 1) sum += (bytes[at + d] as number) * (query[d] as number);
    return sum * (floats[this.#scaleAt(row)] as number);
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

function grown(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
