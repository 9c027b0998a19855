import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../model.ts';
import { dueOf, taskState } from './task-facts.ts';

const DIALECTS: readonly Dialect[] = ['obsidian', 'silverbullet', 'logseq'];

describe('what has become of a task', () => {
  test.each<[Dialect, string, string]>([
    ['obsidian', ' ', 'open'],
    ['obsidian', 'x', 'done'],
    ['obsidian', 'X', 'done'],
    ['obsidian', '-', 'cancelled'],
    ['obsidian', '/', 'open'],
    ['obsidian', '>', 'open'],
    ['silverbullet', 'TODO', 'open'],
    ['silverbullet', 'in progress', 'open'],
    ['silverbullet', 'DONE', 'done'],
    ['silverbullet', 'done', 'done'],
    ['silverbullet', 'canceled', 'cancelled'],
    ['logseq', 'TODO', 'open'],
    ['logseq', 'NOW', 'open'],
    ['logseq', 'DONE', 'done'],
    ['logseq', 'CANCELLED', 'cancelled'],
    ['logseq', 'CANCELED', 'cancelled'],
    ['logseq', 'x', 'done'],
  ])('%s %j is %s', (dialect, status, state) => {
    expect(taskState(status, dialect)).toBe(state);
  });
});

describe('the day by which a task is to be done', () => {
  const due = (own: string, dialect: Dialect = 'obsidian', below = '') =>
    dueOf(own, `${own}\n${below}`, own.length, dialect);

  test.each([
    ['call 📅 2026-03-04', '2026-03-04'],
    ['call 📅2026-03-04 ⏫ #a', '2026-03-04'],
    ['call 🗓️ 2026-03-04', '2026-03-04'],
    ['call 📆 2026-03-04 ✅ 2026-03-05', '2026-03-04'],
    ['call [due:: 2026-03-04]', '2026-03-04'],
    ['call (due:: 2026-03-04)', '2026-03-04'],
    ['call [Due::2026-03-04T10:00]', '2026-03-04'],
    ['call [deadline: "2026-03-04"]', '2026-03-04'],
    ['call [due: 2026-03-04]', '2026-03-04'],
    ['call ⏳ 2026-03-04', undefined],
    ['call 🛫 2026-03-04', undefined],
    ['call [scheduled:: 2026-03-04]', undefined],
    ['due 2026-03-04', undefined],
    ['call 📅 2026-13-04', undefined],
    ['call 📅 soon', undefined],
    ['', undefined],
  ])('%j', (own, day) => {
    expect(due(own)).toBe(day);
  });

  test('Logseq has it below the task, in its own block', () => {
    expect(due('a', 'logseq', '  DEADLINE: <2026-03-04 Wed>\n')).toBe('2026-03-04');
    expect(
      due('a', 'logseq', '  SCHEDULED: <2026-03-01 Sun>\r\n  DEADLINE: <2026-03-04 Wed 10:00>\r\n'),
    ).toBe('2026-03-04');
    expect(due('a', 'logseq', '- b\n  DEADLINE: <2026-03-04 Wed>\n')).toBeUndefined();
    expect(due('a', 'logseq', '\n  DEADLINE: <2026-03-04 Wed>\n')).toBeUndefined();
    expect(due('a', 'obsidian', '  DEADLINE: <2026-03-04 Wed>\n')).toBeUndefined();
  });

  test('is a day or nothing, whatever is written', () => {
    const piece = fc.constantFrom(
      '📅',
      ' ',
      '[due::',
      '(',
      'DEADLINE: <',
      '2026-02-01',
      '20',
      '\n',
      '"',
      ']',
      'a',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.nat(40), fc.constantFrom(...DIALECTS), (pieces, at, dialect) => {
        const text = pieces.join('');
        expect(dueOf(text.slice(0, at), text, at, dialect) ?? '2026-02-01').toBe('2026-02-01');
      }),
    );
  });
});
