import type * as z from 'zod';
import type { Operation, OperationContext } from '../../operations/operation.ts';

/** Carries an operation out: in this process, or at a running server. */
export interface Runner {
  /**
   * @param partial hears of pieces of the answer as they come
   * @throws LecternError
   */
  run(
    operation: Operation,
    input: Record<string, unknown>,
    partial?: OperationContext['partial'],
  ): Promise<z.output<z.ZodObject>>;
  close(): Promise<void>;
}

export interface VaultFlags {
  readonly vault?: string;
  readonly config?: string;
  readonly state?: string;
  readonly remote?: string;
  readonly token?: string;
}

/** What commands touch of the process they run in. */
export interface CommandIo {
  readonly openRunner: (flags: VaultFlags) => Promise<Runner>;
  readonly out: {
    write(text: string): unknown;
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly err: { write(text: string): unknown };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Says how the process should end; it ends by itself. */
  readonly exitWith: (code: number) => void;
}
