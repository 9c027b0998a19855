import { expect, test } from 'vitest';
import { isLecternError } from '../errors.ts';
import { Access, OPEN_ACCESS } from './access.ts';

function codeOf(work: () => void): string | undefined {
  try {
    work();
  } catch (error) {
    return isLecternError(error) ? error.code : 'other';
  }
  return undefined;
}

test('without rules everything is visible and index queries pay nothing', () => {
  const access = new Access([OPEN_ACCESS]);
  expect(access.filter).toBeUndefined();
  expect(access.mayWrite('a/b.md')).toBe(true);
});

test('a folder rule covers the folder whatever its case or composition', () => {
  const access = new Access([{ ...OPEN_ACCESS, read: { allow: [], deny: ['Private', 'Café'] } }]);
  for (const path of ['Private/x.md', 'private/deep/x.md', 'PRIVATE', 'Cafe\u0301/x.md'])
    expect(access.mayRead(path), path).toBe(false);
  expect(access.mayRead('Privateer.md')).toBe(true);
});

test('deny wins over allow, and layers must all agree', () => {
  const access = new Access([
    { ...OPEN_ACCESS, read: { allow: ['Work/**'], deny: ['Work/secret/**'] } },
    { ...OPEN_ACCESS, read: { allow: ['**/*.md'], deny: [] } },
  ]);
  expect(access.mayRead('Work/a.md')).toBe(true);
  expect(access.mayRead('Work/secret/a.md')).toBe(false);
  expect(access.mayRead('Work/a.png')).toBe(false);
  expect(access.mayRead('Home/a.md')).toBe(false);
});

test('a hidden note is reported absent, a protected one forbidden, a read-only vault read_only', () => {
  const rules = { readOnly: false, read: { allow: [], deny: ['h'] }, write: { allow: ['w'], deny: [] } };
  const access = new Access([rules]);
  expect(codeOf(() => access.assertWritable('h/a.md'))).toBe('not_found');
  expect(codeOf(() => access.assertWritable('x/a.md'))).toBe('forbidden');
  expect(codeOf(() => access.assertWritable('w/a.md'))).toBeUndefined();
  const closed = new Access([rules, { ...OPEN_ACCESS, readOnly: true }]);
  expect(codeOf(() => closed.assertWritable('w/a.md'))).toBe('read_only');
  expect(codeOf(() => closed.assertWritable('h/a.md'))).toBe('not_found');
});
