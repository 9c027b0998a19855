import { expect, it } from 'vitest';
import { dailyNotePath, dailyNotesOf } from './daily-notes.ts';

const DAY = new Date(2026, 10, 3);

it.each([
  ['obsidian', undefined, undefined],
  ['obsidian', '{}', '2026-11-03.md'],
  ['obsidian', '{"folder":"/Log\\\\Days/","format":"YYYY/MM/[Day] DD"}', 'Log/Days/2026/11/Day 03.md'],
  ['obsidian', 'broken', '2026-11-03.md'],
  ['logseq', undefined, 'journals/2026_11_03.md'],
  [
    'logseq',
    '{; :journals-directory "no"\n :journals-directory "tage" :hidden ["a"]\n :journal/file-name-format "EEE, do MMM yyyy"}',
    'tage/Tue, 3rd Nov 2026.md',
  ],
  ['logseq', `{:journals-directory ${'"'.repeat(9)}`, 'journals/2026_11_03.md'],
  ['silverbullet', '{"folder":"x"}', 'Journal/2026-11-03.md'],
] as const)('%s with %j', (dialect, settings, path) => {
  const found = dailyNotesOf(dialect, settings);
  expect(found && dailyNotePath(found, DAY)).toBe(path);
});

it('reads hostile settings in little time', () => {
  const started = performance.now();
  dailyNotesOf('logseq', '"\\'.repeat(200_000));
  dailyNotesOf('logseq', `"${'a'.repeat(400_000)}`);
  dailyNotesOf('logseq', ':a '.repeat(200_000));
  expect(performance.now() - started).toBeLessThan(3000);
});

it('knows what a new one starts from, and how templates write dates', () => {
  const settings = '{"folder":"J","template":"/T/Daily"}';
  expect(dailyNotesOf('obsidian', settings, '{"dateFormat":"D.M."}')?.template).toEqual({
    path: 'T/Daily',
    dateFormat: 'D.M.',
    timeFormat: 'HH:mm',
  });
  expect(dailyNotesOf('obsidian', settings)?.template?.dateFormat).toBe('YYYY-MM-DD');
  expect(dailyNotesOf('obsidian', '{}')).not.toHaveProperty('template');
});
