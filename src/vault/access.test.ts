import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLecternError } from '../errors.ts';
import { Access, type AccessRules, OPEN_ACCESS } from './access.ts';

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

test('a rule that is a path as it stands means that path, whatever brackets it holds', () => {
  for (const name of ['Old (2020)', '[x] Done', '{a,b}', 'a+(b)', 'What?', '@(x|y)']) {
    const access = new Access([{ ...OPEN_ACCESS, read: { allow: [], deny: [name] } }]);
    expect(access.mayRead(`${name}/n.md`), name).toBe(false);
    expect(access.mayRead('Other/n.md'), name).toBe(true);
  }
});

test('what hides a folder hides what is in it; what shows a folder shows only what it says', () => {
  const hides = (glob: string) => new Access([{ ...OPEN_ACCESS, read: { allow: [], deny: [glob] } }]);
  for (const glob of ['Priv*', '**/Private', 'Private/**', '{Private,Old}', '/Private/'])
    for (const path of ['Private', 'Private/a.md', 'Private/b/c.md'])
      expect(hides(glob).mayRead(path), `${glob} ${path}`).toBe(false);
  expect(hides('*').mayRead('a.md')).toBe(false);
  expect(hides('*').mayRead('b/a.md')).toBe(true);
  expect(hides('!Open').mayRead('Open/a.md')).toBe(true);
  expect(hides('!Open').mayRead('Other/a.md')).toBe(false);
  const shows = (glob: string) => new Access([{ ...OPEN_ACCESS, read: { allow: [glob], deny: [] } }]);
  expect(shows('*').mayRead('a/b.md')).toBe(false);
  expect(shows('Pub*').mayRead('Public/a.md')).toBe(false);
  expect(shows('Public').mayRead('Public/a/b.md')).toBe(true);
  expect(shows('Public/**').mayRead('Public/a/b.md')).toBe(true);
  expect(shows('!Private').mayRead('Private/a/b.md')).toBe(false);
});

test('no rule takes long, however its stars are placed', () => {
  const started = process.cpuUsage();
  const access = new Access([
    { ...OPEN_ACCESS, read: { allow: [], deny: [`${'*a'.repeat(80)}*b`, `${'**/a*/'.repeat(60)}b`] } },
  ]);
  expect(access.mayRead(`${'aa/'.repeat(300)}${'a'.repeat(250)}.md`)).toBe(true);
  expect(process.cpuUsage(started).user).toBeLessThan(500_000);
});

test('follows a layer of rules that changes, and leaves a filter that was given out as it is', () => {
  let rules: AccessRules = { ...OPEN_ACCESS, read: { allow: [], deny: ['Private'] } };
  const token: AccessRules = { ...OPEN_ACCESS, read: { allow: [], deny: ['Work'] } };
  const access = new Access([() => rules, token]);
  const seen = () => ['Private/a.md', 'Work/a.md', 'a.md'].filter((path) => access.mayRead(path));
  const given = access.filter;
  expect(seen()).toEqual(['a.md']);
  rules = { ...OPEN_ACCESS, readOnly: true };
  expect(seen()).toEqual(['Private/a.md', 'a.md']);
  expect(access.readOnly).toBe(true);
  expect(access.mayWrite('a.md')).toBe(false);
  expect(() => access.assertWritable('a.md')).toThrow(expect.objectContaining({ code: 'read_only' }));
  expect(access.filter?.key).not.toBe(given?.key);
  expect(given?.test('Private/a.md')).toBe(false);
});

test('whether a rule divides what is below a folder is told by the rule alone', () => {
  const rule = (allow: string[], deny: string[]) => new Access([{ ...OPEN_ACCESS, read: { allow, deny } }]);
  expect(rule([], ['Private/**']).dividesBelow('Projects')).toBe(false);
  expect(rule([], ['Private/**', 'Work/Old']).dividesBelow('work')).toBe(true);
  expect(rule([], ['**/secret.md']).dividesBelow('Projects')).toBe(true);
  expect(rule(['Projects/**'], []).dividesBelow('Projects/Boat')).toBe(false);
  expect(rule(['Projects/*.md'], []).dividesBelow('Projects')).toBe(true);
  const segment = fc.constantFrom('a', 'B', 'c.md', '*', '**', 'a*', '{a,b}', '!a', '[a]', 'ä');
  const glob = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
  const globs = fc.array(glob, { maxLength: 2 });
  const path = fc
    .array(fc.constantFrom('a', 'b', 'c.md', 'A', '[a]', 'x'), { minLength: 1, maxLength: 3 })
    .map((segments) => segments.join('/'));
  fc.assert(
    fc.property(globs, globs, path, path, path, (allow, deny, folder, one, other) => {
      const access = rule(allow, deny);
      if (access.dividesBelow(folder)) return;
      expect(access.mayRead(`${folder}/${one}`)).toBe(access.mayRead(`${folder}/${other}`));
    }),
    { numRuns: 2000 },
  );
});
