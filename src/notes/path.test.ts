import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LecternError } from '../errors.ts';
import {
  assertCreatable,
  baseName,
  creatablePathProblem,
  dirName,
  extension,
  fileKindOf,
  isNotePath,
  joinRelative,
  nameKey,
  normalizeFolder,
  normalizePath,
  pathKey,
  readablePathProblem,
  stem,
} from './path.ts';

function refusal(run: () => unknown): LecternError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof LecternError) return error;
    throw error;
  }
}

describe('normalizePath', () => {
  it.each([
    ['a/b.md', 'a/b.md'],
    ['/a//b.md', 'a/b.md'],
    ['a\\b\\\\c.md', 'a/b/c.md'],
    ['./a/b.md', 'a/b.md'],
    ['.\\b.md', 'b.md'],
    ['Cafe\u0301.md', 'Cafe\u0301.md'],
    ['100%.md', '100%.md'],
    ['q?x#y.md', 'q?x#y.md'],
    ['a..b/c.. d.md', 'a..b/c.. d.md'],
    ['2026_06_16.md', '2026_06_16.md'],
  ])('%j → %j', (input, path) => {
    expect(normalizePath(input)).toBe(path);
  });

  it.each([
    '',
    '/',
    'x/',
    '../x.md',
    'a/../../x.md',
    'a/./x.md',
    './../x.md',
    '././x.md',
    './.git/x.md',
    '.',
    '.md',
    'a/.hidden/x.md',
    '.Git/config',
    'a/.git./x.md',
    ' .git /x.md',
    '\u200c.git/x.md',
    '.\u200dobsidian/app.json',
    'GIT~1/config',
    'a\0b.md',
    'a/\ud800.md',
    'C:\\Users\\x.md',
    `${'a'.repeat(253)}.md`,
    `${'é'.repeat(127)}.md`,
    `${'a/'.repeat(2100)}x.md`,
    'a/ /x.md',
  ])('refuses %j', (input) => {
    const error = refusal(() => normalizePath(input));
    expect(error?.code).toBe('invalid_path');
    expect(error?.next).not.toBe('');
  });

  it('never yields a path that leaves the vault or hides, and keeps what it yields', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '/', '\\', '.git', 'a', 'b.md', ' ', '\0', '~1', 'GIT', '\u200b', ':'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        let path: string;
        try {
          path = normalizePath(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(LecternError);
          return;
        }
        expect(normalizePath(path)).toBe(path);
        for (const segment of path.split('/')) {
          expect(segment).not.toBe('');
          expect(segment.startsWith('.')).toBe(false);
          expect(segment.includes('\\')).toBe(false);
        }
      }),
    );
  });
});

describe('normalizeFolder', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['.', ''],
    ['/J/', 'J'],
    ['a\\b/', 'a/b'],
  ])('%j → %j', (input, path) => {
    expect(normalizeFolder(input)).toBe(path);
  });

  it('refuses what a path refuses', () => {
    expect(refusal(() => normalizeFolder('../x'))?.code).toBe('invalid_path');
    expect(refusal(() => normalizeFolder('.trash'))?.code).toBe('invalid_path');
  });
});

describe('names that may be created', () => {
  it.each(['Note.md', 'a/b c.md', 'Smith Jr..md', 'it’s 本😀.md', 'Console.md', 'com.md', 'a-b & $2.md'])(
    '%j',
    (path) => {
      expect(creatablePathProblem(path)).toBeUndefined();
    },
  );

  it.each([
    'NUL.md',
    'con/a.md',
    'Com1.txt',
    'lpt².md',
    'a<b>.md',
    'a"b.md',
    'a?.md',
    'a*.md',
    'trail. .md',
    'a./b.md',
    'a /b.md',
    ' a.md',
    'tab\t.md',
    'a#b.md',
    'a|b.md',
    'a^b.md',
    'a[b].md',
    'a:b.md',
    '50%%.md',
    '../a.md',
  ])('not %j', (path) => {
    expect(creatablePathProblem(path)).toBeDefined();
  });

  it('names the characters, and reads what it would not create', () => {
    const error = refusal(() => assertCreatable('A #1 [x]|y^.md'));
    expect(error?.message).toContain('# [ ] | ^');
    expect(readablePathProblem('A #1 [x]|y^.md')).toBeUndefined();
    expect(readablePathProblem('NUL.md')).toBeUndefined();
  });

  it('accepts an unlinkable name on demand, but not one Windows cannot hold', () => {
    expect(creatablePathProblem('C# [x].md', { allowUnlinkable: true })).toBeUndefined();
    expect(creatablePathProblem('a|b.md', { allowUnlinkable: true })).toBeDefined();
  });
});

describe('parts and keys', () => {
  it('compares in NFC and lower case', () => {
    expect(pathKey('A/Cafe\u0301.md')).toBe('a/café.md');
    expect(nameKey('A/Cafe\u0301.MD')).toBe('café.md');
  });

  it('takes a dot in a name for what it is', () => {
    expect(stem('a/v1.2 notes.md')).toBe('v1.2 notes');
    expect(stem('a.b/acp.daemon.md')).toBe('acp.daemon');
    expect(stem('a/none')).toBe('none');
    expect([baseName('a/b.md'), dirName('a/b.md'), dirName('b.md')]).toEqual(['b.md', 'a', '']);
    expect(extension('a.b/c')).toBe('');
  });

  it('knows the kinds', () => {
    expect(['A.MD', 'x.canvas', 'y.base', 'z.png', 'w', 'n.markdown'].map(fileKindOf)).toEqual([
      'note',
      'canvas',
      'base',
      'attachment',
      'attachment',
      'attachment',
    ]);
    expect(isNotePath('Odd.md.md')).toBe(true);
  });

  it('joins relative links and never climbs out', () => {
    expect(joinRelative('a/b/N.md', './foo')).toBe('a/b/foo');
    expect(joinRelative('a/b/N.md', '../../x.md')).toBe('x.md');
    expect(joinRelative('a/N.md', '../../x.md')).toBeUndefined();
    expect(joinRelative('N.md', '.')).toBeUndefined();
    expect(joinRelative('N.md', 'b\\c.md')).toBe('b/c.md');
  });
});

it('a plain path is judged as it is beside one that is not', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '/',
      '//',
      'git~1',
      ' ',
      'c:',
      '~',
      'a',
      'B_9',
      "it's (1).md",
      '\n',
      'x'.repeat(200),
    ),
    fc.string({ unit: 'grapheme-ascii', maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      const path = pieces.join('');
      // A further harmless segment that is not ASCII.
      expect(readablePathProblem(path)?.reason).toBe(readablePathProblem(`${path}/é`)?.reason);
    }),
    { numRuns: 3000 },
  );
});
