import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Tolerance when starts are compared by the clock, as clocks are adjusted now and then. */
const SAME_START_SECONDS = 60;

/**
 * Linux gives each boot an id. It is preferred to the clock, as some machines have none and resume at an old
 * time.
 */
const BOOT_ID = bootId();

/** Identifies this boot of the machine: the boot id, or its time in seconds since the epoch. */
export function machineStart(): string {
  return BOOT_ID ?? String(Math.round(Date.now() / 1000 - uptime()));
}

/**
 * Whether a mark was made since this machine was booted. What was written under an older mark and not synced
 * may not be on disk.
 *
 * @param mark from {@link machineStart}, of this process or an earlier one
 */
export function isThisStart(mark: string): boolean {
  return BOOT_ID === undefined
    ? Math.abs(Number(mark) - Number(machineStart())) <= SAME_START_SECONDS
    : mark === BOOT_ID;
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
