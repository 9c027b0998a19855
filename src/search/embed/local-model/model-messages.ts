import type { ErrorCode } from '../../../errors.ts';
import type { Embedder, EmbedKind } from '../embedder.ts';

/** What goes to a model's thread. */
export type ModelRequest =
  | {
      readonly type: 'embed';
      readonly call: number;
      readonly texts: readonly string[];
      readonly kind: EmbedKind;
    }
  | { readonly type: 'cancel'; readonly call: number };

/** What comes back. `ready` or `failed` without a call come first and once. */
export type ModelAnswer =
  | { readonly type: 'ready'; readonly model: Pick<Embedder, 'id' | 'dimensions' | 'batch'> }
  | { readonly type: 'vectors'; readonly call: number; readonly vectors: readonly Float32Array[] }
  | { readonly type: 'failed'; readonly call: number | undefined; readonly error: ErrorFacts };

/** An error's facts; classes do not survive the way between threads. */
export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly next: string | undefined;
}

/** The side of a thread's port that is used; MessagePort and Worker both have it. */
export interface ModelPort {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}
