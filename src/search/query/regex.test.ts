import { describe, expect, test } from 'vitest';
import { compilePattern } from './regex.ts';

function tests(source: string, text: string, flags = '', ignoreCase = true): boolean {
  const pattern = compilePattern(source, flags, ignoreCase);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern.test(text);
}

describe('patterns mean what they mean in JavaScript', () => {
  const cases: [string, string, string][] = [
    ['^b$', 'a\nb\nc', 'im'],
    ['^b$', 'a\r\nb\r\nc', 'im'],
    ['a.c', 'a\nc', 'im'],
    ['a.c', 'a\nc', 'ims'],
    ['\\d{4}-\\d{2}', 'on 2024-05', 'im'],
    ['x\\sy', 'x\u00a0y', 'im'],
    ['x[\\s,]y', 'x\u3000y', 'im'],
    ['^\\S+$', 'a\u00a0b', 'im'],
    ['[^\\s]+', ' \u00a0', 'im'],
    ['\\u0041\\/\\-', 'a/-', 'im'],
    ['(?<year>\\d+)', 'no', 'im'],
    ['[a-z]+\\b', '系a', 'im'],
    ['a{2,3}?b', 'aab', 'im'],
    ['[\\]x]', ']', 'im'],
    ['😀+', 'x😀😀', 'imu'],
    ['\\bfoo\\b', 'a foo.', 'im'],
    ['foo|^$', 'bar\n\nbaz', 'im'],
  ];
  test.each(cases)('/%s/ on %j', (source, text, flags) => {
    expect(tests(source, text, flags)).toBe(new RegExp(source, flags).test(text));
  });

  test('case', () => {
    expect(tests('Foo', 'foo', '', true)).toBe(true);
    expect(tests('Foo', 'foo', '', false)).toBe(false);
    expect(tests('Foo', 'foo', 'i', false)).toBe(true);
  });
});

test.each([
  ['(?=a)b', 'lookaround'],
  ['(?<!a)b', 'lookaround'],
  ['(a)\\1', 'a backreference'],
  ['(?<n>a)\\k<n>', 'a backreference'],
  ['(', 'cannot be read'],
  ['a{3000}', 'cannot be read'],
  ['((a{30}){30}){30}', 'cannot be read'],
  ['a'.repeat(2000), 'too long'],
])('/%s/ is refused with a reason', (source, reason) => {
  expect(compilePattern(source, '', true)).toContain(reason);
});

test('places keep their offsets, over CRLF too', () => {
  const pattern = compilePattern('b+$', '', true);
  if (typeof pattern === 'string') throw new Error(pattern);
  expect(pattern.find('a\r\nbb\nb', 10)).toEqual([
    { start: 3, end: 5 },
    { start: 6, end: 7 },
  ]);
});

test('patterns that hang other engines do not', () => {
  const text = `${'a'.repeat(50_000)}!`;
  const before = process.cpuUsage();
  for (const source of [
    '(a+)+$',
    '(a|a)*b',
    '(a*)*b',
    '(.*a){12}x',
    '^(a?){50}a{50}$',
    '(x+x+)+y',
    '(a|b|ab)*c',
    '([a-z]+)*=',
    '(a|b)*a(a|b){14}c',
  ]) {
    expect(tests(source, text)).toBe(false);
  }
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
});
