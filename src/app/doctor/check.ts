import type { DoctorContext } from './context.ts';

/** `skipped` = it could not be checked, so neither good nor bad. */
export type FindingStatus = 'ok' | 'problem' | 'skipped';

/** A repair that the doctor can make itself, without changing a byte of a note. */
export interface Repair {
  /** The repair as a clause: `close the folder to other users`. */
  readonly what: string;
  /** @returns what was done, as a sentence */
  run(): Promise<string>;
}

/** One result of a check. */
export interface Finding {
  /** Stable identifier for scripts: `state.open_to_others`. */
  readonly code: string;
  readonly status: FindingStatus;
  /** One sentence. */
  readonly message: string;
  /** The next step, as a sentence; set for every problem. */
  readonly next?: string;
  /** Names of the files or notes it is about, at most {@link MOST_NAMES}. */
  readonly names?: readonly string[];
  readonly repair?: Repair;
}

/** One check of the doctor. It changes nothing, and reports when it could not be made. */
export interface Check {
  /** Stable identifier for scripts. */
  readonly name: string;
  run(context: DoctorContext): Promise<readonly Finding[]> | readonly Finding[];
}

export const MOST_NAMES = 50;

export function ok(code: string, message: string): Finding {
  return { code, status: 'ok', message };
}

export function problem(
  code: string,
  message: string,
  next: string,
  more: Pick<Finding, 'names' | 'repair'> = {},
): Finding {
  const { names, ...rest } = more;
  return {
    code,
    status: 'problem',
    message,
    next,
    ...rest,
    ...(names !== undefined && { names: names.slice(0, MOST_NAMES) }),
  };
}

export function skipped(code: string, message: string, next?: string): Finding {
  return { code, status: 'skipped', message, ...(next !== undefined && { next }) };
}

/** `1 note`, `3 notes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The message of an error, on one line. */
export function said(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').replace(/[.\s]+$/, '');
}
