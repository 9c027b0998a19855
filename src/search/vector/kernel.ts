import { INT8_SCAN_MODULE } from './int8-scan.wasm.ts';

/**
 * Memory for rows of int8 vectors and the loop that multiplies them with a query. Addresses are bytes
 * in `buffer()`; `allocate` may move the buffer, so views over it are made anew after each call.
 */
export interface ScanKernel {
  readonly simd: boolean;
  buffer(): ArrayBuffer;
  /** @returns the address of zeroed bytes, aligned to 16 */
  allocate(bytes: number): number;
  /** See int8-scan.wat for the parameters. May read and write as if `count` were a multiple of four. */
  scan(
    rows: number,
    scales: number,
    count: number,
    stride: number,
    query: number,
    factor: number,
    out: number,
  ): void;
}

const PAGE = 65_536;

/** The part of WebAssembly used here; the type library for plain ECMAScript has none of it. */
interface WasmRuntime {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: ScanModule };
}

interface ScanModule {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly scan: ScanKernel['scan'];
}

let compiled: (() => ScanModule) | null | undefined;

/** The SIMD kernel where the runtime has SIMD, else the same in JavaScript (about 20 times slower). */
export function createKernel(options: { simd?: boolean } = {}): ScanKernel {
  if (compiled === undefined) compiled = compile();
  return compiled === null || options.simd === false ? scalarKernel() : simdKernel(compiled());
}

function compile(): (() => ScanModule) | null {
  const runtime = (globalThis as { WebAssembly?: WasmRuntime }).WebAssembly;
  const bytes = Buffer.from(INT8_SCAN_MODULE, 'base64');
  // A runtime without SIMD does not know the instructions, so to it the module is not valid.
  if (!runtime?.validate(bytes)) return null;
  const module = new runtime.Module(bytes);
  return () => new runtime.Instance(module).exports;
}

function simdKernel({ memory, scan }: ScanModule): ScanKernel {
  let used = 0;
  return {
    simd: true,
    buffer: () => memory.buffer,
    allocate(bytes) {
      const address = used;
      used += aligned(bytes);
      const missing = used - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      return address;
    },
    scan,
  };
}

function scalarKernel(): ScanKernel {
  let buffer = new ArrayBuffer(PAGE);
  let used = 0;
  return {
    simd: false,
    buffer: () => buffer,
    allocate(bytes) {
      const address = used;
      used += aligned(bytes);
      if (used > buffer.byteLength) {
        const grown = new ArrayBuffer(Math.max(used, buffer.byteLength * 2));
        new Uint8Array(grown).set(new Uint8Array(buffer));
        buffer = grown;
      }
      return address;
    },
    scan(rows, scales, count, stride, query, factor, out) {
      const bytes = new Int8Array(buffer);
      const floats = new Float32Array(buffer);
      const wide = new Int16Array(buffer, query, stride);
      const sums = new Float64Array(4);
      const single = Math.fround(factor);
      for (let row = 0; row < count; row += 1) {
        const base = rows + row * stride;
        sums.fill(0);
        for (let d = 0; d < stride; d += 1) {
          const lane = (d & 7) >> 1;
          sums[lane] = (sums[lane] as number) + (bytes[base + d] as number) * (wide[d] as number);
        }
        const [a, b, c, e] = Array.from(sums, Math.fround) as [number, number, number, number];
        const sum = Math.fround(Math.fround(a + b) + Math.fround(c + e));
        floats[out / 4 + row] = Math.fround(Math.fround(single * (floats[scales / 4 + row] as number)) * sum);
      }
    },
  };
}

function aligned(bytes: number): number {
  return (bytes + 15) & ~15;
}
