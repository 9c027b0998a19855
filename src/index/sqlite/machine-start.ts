import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Clocks are set now and then. */
const SAME_START_SECONDS = 60;

/** Linux names each start. A clock would not do: some machines have none, and begin where they were cut off. */
const BOOT_ID = bootId();

/** Names the start of this machine. What was written before it may not be on disk unless it was synced. */
export function machineStart(): string {
  return BOOT_ID ?? String(Math.round(Date.now() / 1000 - uptime()));
}

/** @param mark from {@link machineStart}, of this process or an earlier one */
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
