import type { ServicePlan } from './plan.ts';

/** A file of the service. */
export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** Its encoding, UTF-8 by default; Windows reads its tasks in UTF-16. */
  readonly encoding?: 'utf16le';
}

/** A program to run, with its arguments. */
export type Step = readonly [program: string, ...args: string[]];

/** A service manager of an operating system: its files and commands. */
export interface ServiceManager {
  readonly name: string;
  /** The files of a service; each contains {@link MARK}, so that other files are never overwritten. */
  files(plan: ServicePlan): readonly ServiceFile[];
  /** Paths of those files. */
  paths(): readonly string[];
  /** Run after the files were written. */
  readonly start: readonly Step[];
  /** Run before the files are deleted. */
  readonly stop: readonly Step[];
  /** Run after they were deleted. */
  readonly forget: readonly Step[];
  /** Prints the state of the service. */
  readonly status: Step;
  /** Prints the server's log; undefined when it is in the plan's log file. */
  readonly logs: Step | undefined;
}

/** The marker in every file that `lectern service install` writes. */
export const MARK = 'Written by lectern service install; lectern service remove takes it away.';
export const SERVICE = 'lectern';
