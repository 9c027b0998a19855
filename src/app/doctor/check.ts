import type { DoctorContext } from './context.ts';

/** `skipped`: it could not be looked at, which is neither good nor bad. */
export type FindingStatus = 'ok' | 'problem' | 'skipped';

/** Something that the doctor can put right itself, without touching a byte of a note. */
export interface Repair {
  /** What is done, as a clause: `close the folder to other users`. */
  readonly what: string;
  /** @returns what was done, as a sentence */
  run(): Promise<string>;
}

/** One line of the doctor's answer. */
export interface Finding {
  /** Stable, for scripts: `state.open_to_others`. */
  readonly code: string;
  readonly status: FindingStatus;
  /** One sentence. */
  readonly message: string;
  /** The one thing to do, as a sentence; every problem has it. */
  readonly next?: string;
  /** Names of files or notes that it is about, at most {@link MOST_NAMES}. */
  readonly names?: readonly string[];
  readonly repair?: Repair;
}

/** One thing that is looked at. It changes nothing, and says so itself when it cannot look. */
export interface Check {
  /** Stable, for scripts. */
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

/** What an error says, in one line. */
export function said(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').replace(/[.\s]+$/, '');
}
