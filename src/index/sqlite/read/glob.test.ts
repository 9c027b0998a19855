import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { compileGlob } from './glob.ts';

const piece = fc.constantFrom(
  'a',
  'b',
  'ab',
  '*',
  '**',
  '?',
  '/',
  '/',
  '.md',
  '{a,b}',
  '{a,b/c}',
  '[ab]',
  '[^a]',
  '[a-c]',
  'é',
  ' ',
);
const segment = fc.constantFrom('a', 'b', 'ab', 'a.md', 'b.md', 'abc', 'é', 'a b');

test('matches what picomatch matches, and what SQL checks first never rules a match out', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join('')),
      fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/')),
      (pattern, path) => {
        fc.pre(!pattern.includes('//') && !pattern.startsWith('/'));
        // In picomatch `**` next to braces crosses folders; here, as in shells, it equals `*`.
        fc.pre(!/[^/]\*\*|\*\*[^/]/.test(pattern));
        const glob = compileGlob(pattern);
        const rooted = pattern.replace(/\/+$/, '/**');
        // In picomatch `a/**` also matches the folder `a`; here all paths are files.
        fc.pre(!rooted.endsWith('/**') || !picomatch(rooted.slice(0, -3), { dot: true })(path));
        expect(glob.matches(path)).toBe(picomatch(rooted, { dot: true })(path));
        if (!glob.matches(path)) return;
        expect(path.startsWith(glob.prefix)).toBe(true);
        expect(path.includes(glob.part)).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

test('Unicode forms are one, a trailing slash means the whole folder', () => {
  expect(compileGlob('caf\u00e9/*.md').matches('cafe\u0301/x.md')).toBe(true);
  expect(compileGlob('Projects/').matches('Projects/a/b.md')).toBe(true);
  expect(compileGlob('/Projects/*').matches('Projects/a.md')).toBe(true);
  expect(compileGlob('100%_done/*').matches('100%_done/a.md')).toBe(true);
  expect(compileGlob('100%_done/*').matches('100x1done/a.md')).toBe(false);
});

test('a leading ! turns the pattern round; parentheses are part of names', () => {
  expect(compileGlob('!Daily/**').matches('Daily/a.md')).toBe(false);
  expect(compileGlob('!Daily/**').matches('Other/a.md')).toBe(true);
  expect(compileGlob('Note (1).md').matches('Note (1).md')).toBe(true);
});

test('a glob that is some path as it stands means that path too', () => {
  for (const path of ['a[b].md', '[2020] Trip/a.md', 'x{1,2}.md', 'Cafe\u0301 [x].md', 'Why?.md'])
    expect(compileGlob(path).matches(path)).toBe(true);
  expect(compileGlob('[2020] Trip/**').matches('[2020] Trip/b/c.md')).toBe(true);
  expect(compileGlob('[2020] Trip/').matches('[2020] Trip/b.md')).toBe(true);
  expect(compileGlob('[2020] Trip/**').matches('[2020] Trips/b.md')).toBe(false);
  expect(compileGlob('![2020] Trip/**').matches('[2020] Trip/b.md')).toBe(false);
  expect(compileGlob('a[b].md').matches('ab.md')).toBe(true);
});

test('no pattern takes long, however its stars are placed', () => {
  const started = performance.now();
  const name = `${'a'.repeat(250)}.md`;
  expect(compileGlob(`${'*a'.repeat(60)}*b`).matches(name)).toBe(false);
  expect(compileGlob(`${'**/a*/'.repeat(60)}b`).matches(`${'aa/'.repeat(300)}${name}`)).toBe(false);
  expect(() => compileGlob('{a,b}'.repeat(20))).toThrowError(
    expect.objectContaining({ code: 'invalid_input' }),
  );
  expect(() => compileGlob('x'.repeat(2000))).toThrowError(
    expect.objectContaining({ code: 'invalid_input' }),
  );
  expect(performance.now() - started).toBeLessThan(2000);
});
