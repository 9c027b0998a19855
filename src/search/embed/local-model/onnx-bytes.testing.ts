/**
 * Writes ONNX graphs as protobuf bytes, as far as a sentence encoder of one lookup needs it. Field numbers
 * are those of onnx.proto3; every message is a run of (field << 3 | wire type) keys and their values.
 */

const VARINT = 0;
const BYTES = 2;
const FLOAT = 1;
const INT64 = 7;
/** Old enough for every runtime in use. */
const IR_VERSION = 8;
const OPSET = 13;

type Message = Uint8Array;

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}

const number = (field: number, value: number): Message =>
  Buffer.concat([varint((field << 3) | VARINT), varint(value)]);

const bytes = (field: number, value: Uint8Array): Message =>
  Buffer.concat([varint((field << 3) | BYTES), varint(value.length), value]);

const text = (field: number, value: string): Message => bytes(field, Buffer.from(value));

const message = (field: number, ...parts: readonly Message[]): Message => bytes(field, Buffer.concat(parts));

/** GraphProto.node = 1; NodeProto: input = 1, output = 2, op_type = 4. */
const node = (operator: string, inputs: readonly string[], output: string): Message =>
  message(1, ...inputs.map((name) => text(1, name)), text(2, output), text(4, operator));

/** GraphProto.initializer = 5; TensorProto: dims = 1, data_type = 2, name = 8, raw_data = 9. */
const initializer = (name: string, shape: readonly number[], values: readonly number[]): Message => {
  const raw = new Uint8Array(Float32Array.from(values).buffer);
  return message(5, ...shape.map((size) => number(1, size)), number(2, FLOAT), text(8, name), bytes(9, raw));
};

/**
 * ValueInfoProto: name = 1, type = 2; TypeProto.tensor_type = 1; Tensor: elem_type = 1, shape = 2;
 * TensorShapeProto.dim = 1; Dimension: dim_value = 1, dim_param = 2.
 * @param field GraphProto: 11 = input, 12 = output
 */
const value = (field: 11 | 12, name: string, type: number, shape: readonly (number | string)[]): Message => {
  const dims = shape.map((size) => message(1, typeof size === 'string' ? text(2, size) : number(1, size)));
  return message(field, text(1, name), message(2, message(1, number(1, type), message(2, ...dims))));
};

export interface TinyEncoder {
  /** One vector per token. */
  readonly table: readonly (readonly number[])[];
  /** Multiplied onto each token's vector; square. */
  readonly matrix?: readonly (readonly number[])[];
  readonly inputs?: readonly string[];
  readonly output?: string;
}

/** An encoder that looks each token up: `last_hidden_state = Gather(table, input_ids) [× matrix]`. */
export function tinyEncoderBytes(encoder: TinyEncoder): Uint8Array {
  const { table, matrix, output = 'last_hidden_state' } = encoder;
  const { inputs = ['input_ids', 'attention_mask', 'token_type_ids'] } = encoder;
  const dimensions = table[0]?.length ?? 0;
  const looked = matrix ? 'looked_up' : output;
  const graph = [
    node('Gather', ['table', 'input_ids'], looked),
    ...(matrix ? [node('MatMul', [looked, 'matrix'], output)] : []),
    text(2, 'tiny-encoder'),
    initializer('table', [table.length, dimensions], table.flat()),
    ...(matrix ? [initializer('matrix', [dimensions, dimensions], matrix.flat())] : []),
    ...inputs.map((name) => value(11, name, INT64, ['batch', 'sequence'])),
    value(12, output, FLOAT, ['batch', 'sequence', dimensions]),
  ];
  // ModelProto: ir_version = 1, graph = 7, opset_import = 8 (OperatorSetIdProto.version = 2).
  return Buffer.concat([number(1, IR_VERSION), message(7, ...graph), message(8, number(2, OPSET))]);
}
