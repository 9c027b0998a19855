import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { runBase } from './shared/base-run.ts';
import { loadBase, viewNamed } from './shared/base-source.ts';

/**
 * The files that the index returns must include every file that matches. An expression inside `if(true, …)`
 * is not passed to the index, so the same filter with and without it must give the same answer.
 */

const NAMES = ['status', 'n', 'due', 'tags', 'who', 'Ünï', 'a.b', 'deep'];
const TEXTS = [
  'open',
  'Open',
  'café',
  'cafe\u0301',
  '5',
  ' 5',
  '0x5',
  '5.0',
  'soon',
  '2024-02-05',
  '2024-02-05T10:00',
  '20240205',
  '2024-02-05T23:30:00-08:00',
  '2024-13-45',
  '[[Home]]',
  ' ![[Home|x]]',
  '[x](Home.md)',
  'Home',
  'a/b',
  '#a',
  'true',
  '',
  '中村',
];
const scalar = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(0, 5, -1, 2.5, 1e21, 2024),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('b', 'c'), scalar, { maxKeys: 2 }) },
);
const folders = ['', 'A/', 'A/B/', 'a b/', 'Ä/'];
const note = fc.record({
  folder: fc.constantFrom(...folders),
  ext: fc.constantFrom('md', 'md', 'md', 'MD', 'canvas', 'png'),
  properties: fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom('STATUS', 'N')), value, {
    maxKeys: 4,
  }),
  body: fc.constantFrom(
    '',
    '#a',
    '#a/b and #B',
    '[[Home]]',
    '[[home#x|y]] ![[pic.png]]',
    '[x](<Home.md>)',
    '[[nowhere]]',
    '[[A/Home]]',
  ),
});

const literal = fc.oneof(
  fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '0',
    '5',
    '-1',
    '2024',
    'true',
    'false',
    'null',
    'today()',
    'now() - "1d"',
    'date("2024-02-05")',
    'this',
    'this.file',
    'this.status',
    'link("Home")',
    '[5]',
    'duration("1d")',
    '1e400',
  ),
);
const property = fc.constantFrom(
  ...NAMES,
  'note.status',
  'note["a.b"]',
  'STATUS',
  'deep.b',
  'formula.f',
  'formula.g',
);
const operator = fc.constantFrom('==', '==', '!=', '<', '<=', '>', '>=');
const field = fc.constantFrom(
  'name',
  'basename',
  'path',
  'folder',
  'ext',
  'size',
  'mtime',
  'ctime',
  'tags',
  'links',
  'embeds',
);
const fileText = fc.constantFrom(
  '"Home.md"',
  '"Home"',
  '"A"',
  '"A/B"',
  '"a b"',
  '"md"',
  '"MD"',
  '"canvas"',
  '"n1.md"',
  '"n2"',
  '"A/n3.md"',
  '10',
  '"2024-02-05"',
  'now()',
);
const leaf = fc.oneof(
  fc.tuple(property, operator, literal).map((parts) => parts.join(' ')),
  fc.tuple(literal, operator, property).map((parts) => parts.join(' ')),
  fc.tuple(field, operator, fileText).map(([name, sign, text]) => `file.${name} ${sign} ${text}`),
  property,
  fc
    .tuple(
      property,
      fc.constantFrom('contains', 'containsAny', 'containsAll', 'startsWith', 'endsWith'),
      literal,
    )
    .map(([name, method, text]) => `${name}.${method}(${text})`),
  property.map((name) => `${name}.isEmpty()`),
  fc.tuple(property, literal).map(([name, text]) => `list(${name}).contains(${text})`),
  fc.constantFrom('a', '#A', 'a/b', 'b', 'a/', '').map((tag) => `file.hasTag(${JSON.stringify(tag)})`),
  fc.constant('file.hasTag("b", "zz")'),
  fc.constantFrom('A', 'a/b', '/A/', 'Ä', '').map((folder) => `file.inFolder(${JSON.stringify(folder)})`),
  fc
    .tuple(
      fc.constantFrom('file.hasLink', 'file.links.contains', 'file.embeds.contains'),
      fc.constantFrom(
        '"Home"',
        'this',
        'this.file',
        'link("home")',
        '"A/Home"',
        '"nowhere"',
        '"pic.png"',
        '"[[Home]]"',
        '"./Home"',
      ),
    )
    .map(([method, to]) => `${method}(${to})`),
  fc.constantFrom(...NAMES).map((name) => `file.hasProperty(${JSON.stringify(name)})`),
  fc.constantFrom(
    'file.path.startsWith("A/")',
    'file.folder.startsWith("A")',
    'file.tags.contains("A")',
    'number(status) > 1',
    '1 / 0',
    'true',
    'false',
  ),
);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc
      .tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression'))
      .map(([left, sign, right]) => `(${left}) ${sign} (${right})`),
    tie('expression').map((inner) => `!(${inner})`),
  ),
}));
type Filter = string | { readonly [kind in 'and' | 'or' | 'not']?: readonly Filter[] };
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    expression,
    fc
      .tuple(fc.constantFrom('and', 'or', 'not'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
      .map(([kind, inner]) => ({ [kind]: inner })),
  ),
}));

const hidden = (wanted: Filter): Filter =>
  typeof wanted === 'string'
    ? `if(true, (${wanted}), false)`
    : Object.fromEntries(Object.entries(wanted).map(([kind, inner]) => [kind, inner?.map(hidden)]));

let vaults: TestVault[] = [];
beforeAll(async () => {
  const many = fc.sample(fc.array(note, { minLength: 60, maxLength: 60 }), { numRuns: 3, seed: 16 });
  for (const notes of many) {
    const files: Record<string, string> = {
      'Home.md': '---\nstatus: open\n---\n',
      'A/Home.md': '#b',
      'Secret/n1.md': '---\nstatus: open\n---\n#a [[Home]]',
      // More values of one note than the index keeps, and values nested deeper.
      'much.md': `---\nx: ${JSON.stringify(Array.from({ length: 2100 }, (_, at) => at))}\nstatus: open\nn: 5\n---\n`,
      'deep.md': '---\ndeep: [[[[[[[[[[5]]]]]]]]]]\nstatus: [null]\n---\n',
      'pic.png': '',
    };
    for (const [at, { folder, ext, properties, body }] of notes.entries())
      files[`${folder}n${at}.${ext}`] =
        ext.toLowerCase() === 'md' ? `---\n${JSON.stringify(properties)}\n---\n${body}\n` : '';
    vaults.push(await openTestVault(files));
  }
  const [first] = vaults;
  if (first === undefined) throw new Error('no vault');
}, 60_000);
afterAll(async () => {
  for (const vault of vaults) {
    await vault.close();
    discard(vault);
  }
  vaults = [];
});

async function rows(vault: TestVault, filters: Filter, self: string): Promise<readonly string[]> {
  const formulas = { f: 'status == "open"', g: 'if(n > 1, due, formula.f)' };
  const { base } = await loadBase(vault.session, { source: JSON.stringify({ filters, formulas }) });
  const view = viewNamed(base, undefined);
  const { signal } = new AbortController();
  const result = await runBase(vault.session, { base, view, columns: ['file.path'], self, signal });
  return result.rows.map(({ facts }) => facts.path);
}

describe('filters that an index is asked about', () => {
  it('answer what they answer file by file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 2 }),
        filter,
        fc.constantFrom('Home.md', 'A/Home.md'),
        async (at, wanted, self) => {
          const vault = vaults[at];
          if (vault === undefined) throw new Error('no such vault');
          expect(await rows(vault, wanted, self)).toEqual(await rows(vault, hidden(wanted), self));
        },
      ),
      { numRuns: 1500 },
    );
  }, 120_000);
});
