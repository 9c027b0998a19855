import type { ServicePlan } from './plan.ts';

/** A file that belongs to the service. */
export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** How it is written to the disk; Windows reads its tasks in UTF-16. */
  readonly encoding?: 'utf16le';
}

/** A program and its arguments, run for what it does. */
export type Step = readonly [program: string, ...args: string[]];

/** One program that starts services, and how it is told to. */
export interface ServiceManager {
  readonly name: string;
  /** Stands in every file that is written, so that nobody else’s is taken for ours. */
  files(plan: ServicePlan): readonly ServiceFile[];
  /** Where those files are. */
  paths(): readonly string[];
  /** Run when the files are written. */
  readonly start: readonly Step[];
  /** Run before the files go. */
  readonly stop: readonly Step[];
  /** Run when they are gone. */
  readonly forget: readonly Step[];
  /** Prints the state of the service. */
  readonly status: Step;
  /** Prints what the server said; undefined where it is in the log file of the plan. */
  readonly logs: Step | undefined;
}

/** In every file that `lectern service install` writes. */
export const MARK = 'Written by lectern service install; lectern service remove takes it away.';
export const SERVICE = 'lectern';
