import { existsSync, readFileSync } from 'node:fs';

/** The unit of processor times in /proc, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface Memory {
  readonly nowMB: number;
  readonly mostMB: number;
  /** Without mapped files (the runtime, libraries, pages of the index), which the system takes back when it needs them. */
  readonly ownMB: number;
}

/** Resident memory of a process with all its threads, now and at its highest; undefined where /proc is missing. */
export function memoryOf(pid: number | undefined): Memory | undefined {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return undefined;
  const text = readFileSync(status, 'utf8');
  const field = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024);
  return { nowMB: field('VmRSS'), mostMB: field('VmHWM'), ownMB: field('RssAnon') };
}

/** Processor seconds that all threads of a process used so far; undefined where /proc is missing. */
export function cpuSecondsOf(pid: number | undefined): number | undefined {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return undefined;
  // The name in brackets may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = readFileSync(stat, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
