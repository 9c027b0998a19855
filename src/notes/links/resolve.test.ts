import { describe, expect, it } from 'vitest';
import type { Dialect, Link } from '../model.ts';
import { nameKey, pathKey } from '../path.ts';
import { type FileLookup, resolveLink } from './resolve.ts';

function lookup(paths: readonly string[], pageNames: Record<string, string> = {}): FileLookup {
  return {
    byName: (key) => paths.filter((path) => nameKey(path) === key),
    byPageName: (key) => Object.keys(pageNames).filter((path) => pathKey(pageNames[path] ?? '') === key),
  };
}

function open(
  source: string,
  target: string,
  paths: readonly string[],
  { syntax = 'wiki', dialect = 'obsidian' }: { syntax?: Link['syntax']; dialect?: Dialect } = {},
): string | undefined {
  return resolveLink(source, target, syntax, lookup(paths), dialect).path;
}

describe('Obsidian links', () => {
  it('takes a dot for part of the name', () => {
    const paths = ['B.H. Liddell Hart.md', 'acp.daemon.md', 'v1.2 notes.md', 'N.md'];
    expect(open('N.md', 'B.H. Liddell Hart', paths)).toBe('B.H. Liddell Hart.md');
    expect(open('N.md', 'acp.daemon', paths)).toBe('acp.daemon.md');
    expect(open('N.md', 'v1.2 notes', paths)).toBe('v1.2 notes.md');
    expect(open('N.md', 'v1.2 notes.md', paths)).toBe('v1.2 notes.md');
  });

  it('leaves out no extension but .md', () => {
    const paths = ['Projects.md', 'Projects.base', 'Odd.md.md', 'Only.base', 'N.md'];
    expect(open('N.md', 'Projects', paths)).toBe('Projects.md');
    expect(open('N.md', 'Projects.base', paths)).toBe('Projects.base');
    expect(open('N.md', 'Odd.md', paths)).toBe('Odd.md.md');
    expect(open('N.md', 'Only', paths)).toBeUndefined();
  });

  it('reads every spelling of one path', () => {
    const paths = ['notes/a.md', 'b.md'];
    for (const target of ['notes/a.md', 'notes/a', './notes/a.md', '/notes/a', 'a', 'NOTES/A.md']) {
      expect(open('b.md', target, paths, { syntax: 'markdown' }), target).toBe('notes/a.md');
    }
  });

  it('prefers the exact path from the root to a neighbour', () => {
    const paths = ['foo.md', 'a/b/foo.md', 'a/b/N.md'];
    expect(open('a/b/N.md', 'foo', paths)).toBe('foo.md');
    expect(open('a/b/N.md', './foo', paths)).toBe('a/b/foo.md');
    expect(open('a/b/N.md', 'b/foo', paths)).toBe('a/b/foo.md');
    expect(open('a/b/N.md', 'a/b/foo.md', paths)).toBe('a/b/foo.md');
  });

  it('orders namesakes: below the source folder, then shorter, then by alphabet', () => {
    const paths = ['z/n.md', 'x/deep/er/n.md', 'y/n.md', 'x/deep/er/still/n.md'];
    expect(resolveLink('x/S.md', 'n', 'wiki', lookup(paths), 'obsidian')).toEqual({
      path: 'x/deep/er/n.md',
      ambiguous: ['x/deep/er/n.md', 'x/deep/er/still/n.md', 'y/n.md', 'z/n.md'],
    });
    expect(open('S.md', 'n', paths)).toBe('y/n.md');
  });

  it('compares whole segments', () => {
    expect(open('N.md', 'oo/x', ['foo/x.md'])).toBeUndefined();
    expect(open('N.md', 'x', ['ax.md'])).toBeUndefined();
  });

  it('finds nothing for a rooted path that is not exact, nor outside the vault', () => {
    expect(open('a/N.md', '/x', ['a/x.md'])).toBeUndefined();
    expect(open('a/N.md', '../../x', ['x.md'])).toBeUndefined();
    expect(open('a/N.md', '../x', ['x.md'])).toBe('x.md');
    expect(open('N.md', 'folder/', ['folder/x.md'])).toBeUndefined();
  });

  it('continues with the joined path when a relative one is not exact', () => {
    expect(open('a/b/N.md', '../c/x', ['deep/a/c/x.md'])).toBe('deep/a/c/x.md');
  });

  it('ignores case and Unicode form, and is not in doubt about the exact spelling', () => {
    expect(open('N.md', 'CAFE\u0301', ['Café.md'])).toBe('Café.md');
    const files = lookup(['Foo.md', 'foo.md']);
    expect(resolveLink('N.md', 'foo', 'wiki', files, 'obsidian')).toEqual({ path: 'foo.md', ambiguous: [] });
    expect(resolveLink('N.md', 'FOO', 'wiki', files, 'obsidian').ambiguous).toEqual(['Foo.md', 'foo.md']);
  });

  it('opens the note itself for an empty target', () => {
    expect(open('a/N.md', '', [])).toBe('a/N.md');
  });
});

describe('SilverBullet links', () => {
  const paths = ['Page.md', 'a/Page.md', 'a/pic.png', 'a/S.md'];
  const silverbullet = { dialect: 'silverbullet' } as const;

  it('takes a wikilink for a page name from the space root, case counting', () => {
    expect(open('a/S.md', 'Page', paths, silverbullet)).toBe('Page.md');
    expect(open('a/S.md', 'page', paths, silverbullet)).toBeUndefined();
    expect(open('a/S.md', 'pic.png', paths, silverbullet)).toBeUndefined();
    expect(open('a/S.md', 'a/pic.png', paths, silverbullet)).toBe('a/pic.png');
    expect(open('a/S.md', '^Page', paths, silverbullet)).toBe('Page.md');
  });

  it('leaves out the position and the anchor', () => {
    expect(open('a/S.md', 'Page@L12C3', paths, silverbullet)).toBe('Page.md');
    expect(open('a/S.md', 'Page$anchor', paths, silverbullet)).toBe('Page.md');
    expect(open('a/S.md', '$anchor', paths, silverbullet)).toBeUndefined();
  });

  it('takes a Markdown link relative to the page', () => {
    const markdown = { dialect: 'silverbullet', syntax: 'markdown' } as const;
    expect(open('a/S.md', 'Page.md', paths, markdown)).toBe('a/Page.md');
    expect(open('a/S.md', '/Page', paths, markdown)).toBe('Page.md');
    expect(open('a/S.md', '../Page', paths, markdown)).toBe('Page.md');
    expect(open('a/S.md', 'a/pic.png', paths, markdown)).toBeUndefined();
  });
});

describe('Logseq links', () => {
  const logseq = { dialect: 'logseq' } as const;

  it('finds the file a page name is stored under', () => {
    const paths = [
      'pages/Documentación.md',
      'pages/a___b.md',
      'pages/Why%3F.md',
      'pages/old%2Fname.md',
      'pages/x.y.md',
    ];
    expect(open('pages/N.md', 'documentacio\u0301n', paths, logseq)).toBe('pages/Documentación.md');
    expect(open('pages/N.md', 'A/B', paths, logseq)).toBe('pages/a___b.md');
    expect(open('pages/N.md', 'Why?', paths, logseq)).toBe('pages/Why%3F.md');
    expect(open('pages/N.md', 'old/name', paths, logseq)).toBe('pages/old%2Fname.md');
    expect(open('pages/N.md', 'x/y', paths, logseq)).toBe('pages/x.y.md');
  });

  it('finds a journal by its title', () => {
    const paths = ['journals/2024_01_02.md'];
    for (const title of ['Jan 2nd, 2024', 'Tuesday, January 2nd, 2024', '2024-01-02', '2024/01/02']) {
      expect(open('pages/N.md', title, paths, logseq), title).toBe('journals/2024_01_02.md');
    }
  });

  it('prefers pages to other folders and falls back to titles and aliases', () => {
    expect(open('pages/N.md', 'x', ['assets/x.md', 'pages/x.md'], logseq)).toBe('pages/x.md');
    const files = lookup(['pages/p1.md'], { 'pages/p1.md': 'My Page' });
    expect(resolveLink('pages/N.md', 'my page', 'wiki', files, 'logseq').path).toBe('pages/p1.md');
    expect(resolveLink('pages/N.md', 'other', 'tag-ref', files, 'logseq').path).toBeUndefined();
  });

  it('takes a Markdown link for a path, and leaves block references to the index', () => {
    const paths = ['assets/i.png', 'pages/N.md'];
    expect(open('pages/N.md', '../assets/i.png', paths, { ...logseq, syntax: 'markdown' })).toBe(
      'assets/i.png',
    );
    expect(
      open('pages/N.md', '11111111-1111-4111-8111-111111111111', paths, { ...logseq, syntax: 'block-ref' }),
    ).toBeUndefined();
  });
});
