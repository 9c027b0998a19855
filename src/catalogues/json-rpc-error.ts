/**
 * Thrown by a tool or a catalogue whose system fails with a JSON-RPC error instead of a tool result. It
 * reaches the client as it is: code, message and data are the dialect's own words.
 */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }

  /** As it stands in a response. */
  toJSON(): { code: number; message: string; data?: Readonly<Record<string, unknown>> } {
    return {
      code: this.code,
      message: this.message,
      ...(this.data !== undefined && { data: this.data }),
    };
  }
}
