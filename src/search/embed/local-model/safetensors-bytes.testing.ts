/** A tensor to be written: its bytes are taken from the array as they are. */
export interface TensorBytes {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView;
}

/** A safetensors file, byte by byte: u64 header length, JSON header, data. */
export function safetensorsBytes(tensors: Readonly<Record<string, TensorBytes>>): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at + data.byteLength] };
    parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    at += data.byteLength;
  }
  return withHeader(header, Buffer.concat(parts));
}

/** Any header before any data: for files that are not as they should be. */
export function withHeader(header: unknown, data: Uint8Array = new Uint8Array()): Uint8Array {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, data]);
}
