/**
 * Rows of weights over columns, in compressed form: row `r` owns the entries
 * `starts[r] … starts[r + 1] - 1` of `columns` and `values`.
 */
export interface SparseRows {
  readonly rows: number;
  readonly columnCount: number;
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float32Array;
}

/** Grows as rows are pushed; the number of entries is not known beforehand. */
export class SparseRowsBuilder {
  #starts: number[] = [0];
  #columns = new Uint32Array(1 << 14);
  #values = new Float32Array(1 << 14);
  #length = 0;

  push(columns: ArrayLike<number>, values: ArrayLike<number>): void {
    const end = this.#length + columns.length;
    if (end > this.#columns.length) {
      const capacity = Math.max(end, this.#columns.length * 2);
      const grownColumns = new Uint32Array(capacity);
      grownColumns.set(this.#columns.subarray(0, this.#length));
      const grownValues = new Float32Array(capacity);
      grownValues.set(this.#values.subarray(0, this.#length));
      this.#columns = grownColumns;
      this.#values = grownValues;
    }
    this.#columns.set(columns, this.#length);
    this.#values.set(values, this.#length);
    this.#length = end;
    this.#starts.push(end);
  }

  build(columnCount: number): SparseRows {
    return {
      rows: this.#starts.length - 1,
      columnCount,
      starts: Uint32Array.from(this.#starts),
      columns: this.#columns.slice(0, this.#length),
      values: this.#values.slice(0, this.#length),
    };
  }
}
