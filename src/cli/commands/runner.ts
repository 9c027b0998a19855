import type * as z from 'zod';
import type { Operation, OperationContext } from '../../operations/operation.ts';

/** Runs operations, in this process or on a running server. */
export interface Runner {
  /**
   * Runs an operation on its unparsed input.
   *
   * @param partial receives parts of the answer while it is generated
   * @throws LecternError of the input, the vault or server, and the operation
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

/** The parts of the process that commands use. */
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
  /** Sets the exit code; the process ends by itself. */
  readonly exitWith: (code: number) => void;
}
