import { describe, expect, it } from 'vitest';
import { coerce, dayIn, type FieldSpec } from './field.ts';

describe('a value of a type', () => {
  it.each<[FieldSpec['type'], unknown, unknown]>([
    ['text', ' two\n words ', 'two words'],
    ['text', 4, '4'],
    ['text', '', undefined],
    ['text', ['a'], undefined],
    ['text', 'x'.repeat(1001), undefined],
    ['number', '4.5', 4.5],
    ['number', 'four', undefined],
    ['number', '', undefined],
    ['number', Number.POSITIVE_INFINITY, undefined],
    ['checkbox', 'Yes', true],
    ['checkbox', false, false],
    ['checkbox', 'perhaps', undefined],
    ['date', '2026-01-31', '2026-01-31'],
    ['date', '2026/1/3', '2026-01-03'],
    ['date', '31 January 2026', '2026-01-31'],
    ['date', 'Jan 31st, 2026', '2026-01-31'],
    ['date', '2026-02-30', undefined],
    ['date', '31.1.2026', undefined],
    ['date', 'on 2026-01-31', undefined],
    ['datetime', '2026-01-31T09:30', '2026-01-31T09:30:00'],
    ['datetime', '2026-01-31 09:30:15Z', '2026-01-31T09:30:15'],
    ['datetime', '2026-01-31', undefined],
    ['datetime', '2026-01-31T25:00', undefined],
    ['list', ['a', ' b ', 'a', '', 3], ['a', 'b', '3']],
    ['list', [], undefined],
    ['list', 'a', undefined],
    ['list', [{}], undefined],
  ])('%s of %j is %j', (type, value, wanted) => {
    expect(coerce(value, { type })).toEqual(wanted);
  });

  it('is one of those allowed, as they are spelled', () => {
    const values = ['Open', 'Done'];
    expect(coerce('open', { type: 'text', values })).toBe('Open');
    expect(coerce('new', { type: 'text', values })).toBeUndefined();
    expect(coerce(['DONE', 'new'], { type: 'list', values })).toEqual(['Done']);
    expect(coerce(['new'], { type: 'list', values })).toBeUndefined();
  });

  it.each([
    ['Met on 3 May 2026 and 2026-01-01', '2026-05-03'],
    ['12026-01-019', undefined],
    ['v2026.1.2', '2026-01-02'],
    ['nothing', undefined],
    ['3 apricots, 2026 recipes', undefined],
    ['Marbles 12 2026', undefined],
    ['5 Sept. 2026', '2026-09-05'],
    ['Apr 1 2026', '2026-04-01'],
    ['3 apricots, 2026; ripe by 5 May 2026', '2026-05-05'],
    ['not 2026-13-01, but 2026-12-01', '2026-12-01'],
  ])('the first day in %j is %j', (text, wanted) => {
    expect(dayIn(text)?.day).toBe(wanted);
  });
});
