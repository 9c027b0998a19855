import { LecternError } from '../errors.ts';

/** How values are read that come as text, from flags or the environment. Empty text counts as unset. */

export type Environment = Readonly<Record<string, string | undefined>>;

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The first that is set. */
export function text(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value.trim() !== '')?.trim();
}

/** A flag given at all replaces the environment's list, which is written with commas. */
export function list(
  flag: readonly string[] | undefined,
  environment: string | undefined,
): readonly string[] {
  return (flag ?? environment?.split(',') ?? []).map((value) => value.trim()).filter((value) => value !== '');
}

export function yes(value: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(value?.trim() ?? '');
}

/** @throws LecternError `invalid_input` for anything but a whole number from `min` to `max` */
export function number(
  flag: string,
  value: string | undefined,
  fallback: number,
  min: number,
  max: number,
): number {
  if (value === undefined) return fallback;
  if (isWholeNumber(value, min, max)) return Number(value);
  throw new LecternError('invalid_input', `${flag} cannot be ${JSON.stringify(value)}.`, {
    next: `Give a whole number from ${min} to ${max}.`,
  });
}

export function isWholeNumber(value: string, min: number, max: number): boolean {
  return /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

/** Minutes, hours or days (`30m`, `12h`, `90d`) in milliseconds; undefined for anything else. */
export function durationMs(value: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(value) ?? [];
  const factor = UNIT_MS[unit];
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
}

/** @throws LecternError `invalid_input` for anything but a duration up to `max` */
export function duration(flag: string, value: string, max: string): number {
  const ms = durationMs(value) ?? 0;
  if (ms > 0 && ms <= (durationMs(max) ?? 0)) return ms;
  throw new LecternError('invalid_input', `${flag} cannot be ${JSON.stringify(value)}.`, {
    next: `Give minutes, hours or days, at most ${max}: 30m, 12h, 90d.`,
  });
}
