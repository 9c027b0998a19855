import { LecternError } from '../errors.ts';

/** Calendar days in the time zone of this machine. */

/** A time as `YYYY-MM-DD`. */
export function dayOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/**
 * The midnight at which a day begins; today's by default.
 *
 * @throws LecternError `invalid_input` for anything but an existing day as `YYYY-MM-DD`
 */
export function startOfDay(given: string | undefined, now: Date): Date {
  const text = given === undefined || given.trim() === '' ? dayOf(now) : given.trim();
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts) {
    const start = new Date(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
    if (dayOf(start) === text) return start;
  }
  throw new LecternError('invalid_input', `${JSON.stringify(text)} is not a day.`, {
    next: `Write it as YYYY-MM-DD, e.g. ${dayOf(now)}.`,
  });
}

export function addDays(day: Date, days: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);
}

/** The Monday on or before a day. */
export function mondayOf(day: Date): Date {
  return addDays(day, -((day.getDay() + 6) % 7));
}
