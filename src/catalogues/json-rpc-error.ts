/**
 * Thrown by a tool or catalogue whose system answers with a JSON-RPC error instead of a tool result. Code,
 * message and data reach the client unchanged.
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

  /** The `error` member of a JSON-RPC response. */
  toJSON(): { code: number; message: string; data?: Readonly<Record<string, unknown>> } {
    return {
      code: this.code,
      message: this.message,
      ...(this.data !== undefined && { data: this.data }),
    };
  }
}
