import { LecternError } from '../../errors.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };

/**
 * Parses a time: ISO 8601 (local time without a zone), or an age such as `90m`, `2h`, `3d`.
 * @returns milliseconds since the epoch
 * @throws LecternError `invalid_input`
 */
export function parseTime(text: string, now: number = Date.now()): number {
  const age = /^(\d+(?:\.\d+)?)\s*([smhdw])(?: ago)?$/.exec(text.trim().toLowerCase());
  if (age) return now - Number(age[1]) * (UNITS[age[2] ?? ''] ?? 0);
  const iso = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (!Number.isNaN(iso)) return iso;
  throw new LecternError('invalid_input', `"${text.slice(0, 40)}" is not a time.`, {
    next: 'Use ISO 8601 such as 2026-01-31T09:00, or an age such as 2h or 3d.',
  });
}
