import { describe, expect, it } from 'vitest';
import { formatDay, fromLogseqFormat } from './date-format.ts';

const day = (text: string) => {
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  return new Date(year, month - 1, date);
};

describe('formatDay', () => {
  it.each([
    ['YYYY-MM-DD', '2026-02-03', '2026-02-03'],
    ['YYYY/MM-MMMM/YYYY-MM-DD-dddd', '2026-11-28', '2026/11-November/2026-11-28-Saturday'],
    ['ddd, MMM Do YY', '2026-05-01', 'Fri, May 1st 26'],
    ['D.M.YYYY', '2026-05-01', '1.5.2026'],
    ['[Day] DDDD [of] YYYY', '2026-12-31', 'Day 365 of 2026'],
    ['Do', '2026-01-11', '11th'],
    ['Do', '2026-01-22', '22nd'],
    ['Do', '2026-01-23', '23rd'],
    // At the turn of the year ISO weeks and calendar years differ.
    ['GGGG-[W]WW-E', '2027-01-01', '2026-W53-5'],
    ['GGGG-[W]WW-E', '2024-12-30', '2025-W01-1'],
    ['gggg-ww', '2026-12-27', '2027-01'],
    ['gggg-ww', '2026-01-01', '2026-01'],
    ['YYYY-[Q]Q dd H:mm A', '2026-08-09', '2026-Q3 Su 0:00 AM'],
    ['Tagebuch-YYYY', '2026-08-09', 'Tamg0buc12-2026'],
    ['', '2026-08-09', ''],
    ['L | LL | l | ll', '2026-08-09', '08/09/2026 | August 9, 2026 | 8/9/2026 | Aug 9, 2026'],
    ['LLLL', '2026-08-09', 'Sunday, August 9, 2026 12:00 AM'],
    ['[LL] Y kk SSS \\D\\a\\y', '2026-08-09', 'LL 2026 24 000 Day'],
    ['gggg-[W]ww [Day] DDDD Do Q YY', '2024-12-30', '2025-W01 Day 365 30th 4 24'],
  ])('%s of %s', (format, date, name) => {
    expect(formatDay(format, day(date))).toBe(name);
  });

  it('counts time stamps from midnight, in the zone the program runs in', () => {
    const midnight = day('2026-08-09');
    expect(formatDay('x X', new Date(2026, 7, 9, 17, 30))).toBe(
      `${midnight.getTime()} ${midnight.getTime() / 1000}`,
    );
    expect(formatDay('Z ZZ', midnight)).toMatch(/^([+-]\d\d):(\d\d) \1\2$/);
  });

  it('takes hostile formats in little time', () => {
    const started = performance.now();
    formatDay('['.repeat(50_000), day('2026-01-01'));
    formatDay('Y'.repeat(50_000), day('2026-01-01'));
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

it.each([
  ['yyyy_MM_dd', 'YYYY_MM_DD'],
  ['MMM do, yyyy', 'MMM Do, YYYY'],
  ['EEEE, d MMMM yy', 'dddd, D MMMM YY'],
  ["yyyy 'at' MM", 'YYYY [at] MM'],
])('Logseq’s %s is %s', (format, moment) => {
  expect(fromLogseqFormat(format)).toBe(moment);
});
