import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathMatcher } from './path-pattern.ts';
import { fileUri, parseResourceUri, queryUri } from './resource-uri.ts';

const file = (path: string) => ({ kind: 'file', path, query: {} });

describe('parseResourceUri', () => {
  it.each([
    ['vault://Projects/Foo.md', file('Projects/Foo.md')],
    ['vault:///Projects/Foo.md', file('Projects/Foo.md')],
    ['VAULT://A.md', file('A.md')],
    ['vault://My%20notes/%C3%A4.md', file('My notes/ä.md')],
    ['vault://a%2Fb.md', file('a/b.md')],
    ['vault://..%2F..%2Fetc%2Fpasswd', file('../../etc/passwd')],
    ['vault://%252e%252e/a.md', file('%2e%2e/a.md')],
    ['vault://100%.md', file('100%.md')],
    ['vault://q%3Fx%23y.md', file('q?x#y.md')],
    ['vault://A.md#Heading', file('A.md')],
    ['vault://star%2A.md', file('star*.md')],
    ['vault://A.md?offset=5', { kind: 'file', path: 'A.md', query: { offset: '5' } }],
    ['vault://search?q=a%20b&mode=lexical', { kind: 'search', query: { q: 'a b', mode: 'lexical' } }],
    ['vault://search?q=a&tag=x&tag=y', { kind: 'search', query: { q: 'a', tag: ['x', 'y'] } }],
    ['vault://search.md', file('search.md')],
    ['vault://search/a.md', file('search/a.md')],
    ['vault://graph', { kind: 'graph', query: {} }],
    ['vault://graph/backlinks/a%20b/c.md', { kind: 'backlinks', path: 'a b/c.md', query: {} }],
    ['vault://graph/forward/c.md?limit=3', { kind: 'forward', path: 'c.md', query: { limit: '3' } }],
    ['vault://graph/other.md', file('graph/other.md')],
    ['vault://tags', { kind: 'tags', query: {} }],
    ['vault://canvas/a%20b/C.canvas', { kind: 'canvas', path: 'a b/C.canvas', query: {} }],
    ['vault://canvas/C?group=G', { kind: 'canvas', path: 'C', query: { group: 'G' } }],
    ['vault://canvas', file('canvas')],
    ['vault://%63anvas/C.canvas', file('canvas/C.canvas')],
    ['vault://Canvas/C.canvas', file('Canvas/C.canvas')],
    ['vault://canvas/**', { kind: 'glob', pattern: ['canvas', '**'] }],
    ['vault://Projects/**', { kind: 'glob', pattern: ['Projects', '**'] }],
  ])('reads %s', (uri, target) => {
    expect(parseResourceUri(uri)).toEqual(target);
  });

  it.each(['note://a.md', 'vault://', 'vault:a.md', 'vault://%ff.md', `vault://${'a'.repeat(9000)}`])(
    'refuses %s',
    (uri) => {
      expect(() => parseResourceUri(uri)).toThrow(expect.objectContaining({ code: 'invalid_path' }));
    },
  );

  it('reads back every path that it writes', () => {
    const segment = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('/'));
    const reserved = fc.constantFrom(
      'search',
      'graph',
      'tags',
      'graph/backlinks/a.md',
      'graph/forward/b',
      'canvas/A.canvas',
      'canvas/a*b.md',
      'canvas/deep/c.md',
    );
    const path = fc.oneof(
      reserved,
      fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join('/')),
    );
    fc.assert(
      fc.property(path, (text) => {
        expect(parseResourceUri(fileUri(text))).toEqual(file(text));
      }),
    );
  });

  it('writes queries', () => {
    expect(queryUri('graph', { cursor: 'a b', limit: 3, none: null })).toBe(
      'vault://graph?cursor=a%20b&limit=3',
    );
    expect(queryUri('tags', {})).toBe('vault://tags');
  });
});

describe('pathMatcher', () => {
  const matches = (uri: string, path: string) => {
    const target = parseResourceUri(uri);
    return target.kind === 'glob' && pathMatcher(target.pattern)(path);
  };

  it.each([
    ['vault://Projects/**', 'Projects/a.md', true],
    ['vault://Projects/**', 'Projects/a/b/c.md', true],
    ['vault://Projects/**', 'Other/a.md', false],
    ['vault://Projects/**', 'Projects2/a.md', false],
    ['vault://**', 'a.md', true],
    ['vault://*', 'a.md', true],
    ['vault://*', 'a/b.md', false],
    ['vault://**/2026-*.md', 'Daily/2026-05-03.md', true],
    ['vault://**/2026-*.md', '2026-05-03.md', true],
    ['vault://**/2026-*.md', 'Daily/2025-05-03.md', false],
    ['vault://a*a.md', 'a.md', false],
    ['vault://a*a.md', 'aa.md', true],
    ['vault://*a*b*', 'xbxaxb', true],
    ['vault://%5Bx%5D*.md', '[x]1.md', true],
    ['vault://%5Bx%5D*.md', 'x1.md', false],
    ['vault://%2A*.md', '*1.md', true],
    ['vault://%2A*.md', '11.md', false],
    ['vault://caf%C3%A9/*', 'cafe\u0301/a.md', true],
  ])('%s and %s: %s', (uri, path, expected) => {
    expect(matches(uri, path)).toBe(expected);
  });

  it('takes no time on patterns made to take it', () => {
    const match = pathMatcher([...Array.from({ length: 200 }, () => ['**', '*a*a*a*b']).flat()]);
    const path = Array.from({ length: 200 }, () => 'a'.repeat(20)).join('/');
    const started = performance.now();
    expect(match(path)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
