import { mkdtempSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isLecternError } from '../src/errors.ts';
import { parseInput } from '../src/operations/call/input.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { Access, type AccessRules, OPEN_ACCESS } from '../src/vault/access.ts';
import type { VaultSession } from '../src/vault/session.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';
import { writeTree } from './support/write-tree.ts';

/**
 * What is hidden does not exist: a vault behind rules answers every read as a vault does from which the
 * hidden files were taken away, errors and suggestions included. Only the scores of a search differ, as
 * they are computed from how often words occur in the whole index.
 */

const FOLDERS = [
  '',
  'Open/',
  'Secret/',
  'Secret/Deep/',
  'Open/Secret/',
  'Old (2020)/',
  '[x] Done/',
  'Ünter/',
];
const NAMES = ['Home', 'Plan', 'Secret plan', 'Foo', 'home', 'Diary', '会議', 'a.b'];
const ENDINGS = ['.md', '.md', '.md', '.md', '.canvas', '.png'];
const TAGS = ['open', 'Open', 'hidden/one', 'hidden', 'x/y/z', 'only-here'];
const WORDS = ['alpha', 'bravo', 'charlie', 'zulu', 'xylophone', '会', 'quokka', 'wallaby'];

const path = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES), fc.constantFrom(...ENDINGS))
  .map((parts) => parts.join(''));

const target = fc.oneof(
  fc.constantFrom(...NAMES),
  path,
  path.map((one) => one.replace(/\.md$/, '')),
  fc.constantFrom('Missing', './Plan', '../Home', '/Secret/Foo', 'Deep/Foo'),
);

const piece = fc.oneof(
  target.map((one) => `[[${one}]]`),
  target.map((one) => `![[${one}#Part|shown]]`),
  target.map((one) => `[text](<${one}>)`),
  fc.constantFrom(...TAGS).map((one) => `#${one}`),
  fc.constantFrom(...WORDS),
);

const note = fc
  .tuple(
    fc.array(piece, { maxLength: 6 }),
    fc.option(target, { nil: undefined }),
    fc.option(fc.constantFrom(...TAGS), { nil: undefined }),
  )
  .map(([pieces, up, tag]) => {
    const front = [...(up ? [`up: "[[${up}]]"`] : []), ...(tag ? [`tags: [${tag}]`] : [])];
    const head = front.length > 0 ? `---\n${front.join('\n')}\n---\n` : '';
    return `${head}# Part\n\n${pieces.join(' ')}\n`;
  });

const files = fc
  .dictionary(path, note, { minKeys: 4, maxKeys: 24 })
  .map((entries) =>
    Object.fromEntries(
      Object.entries(entries).map(([name, text]) => [
        name,
        name.endsWith('.canvas') ? JSON.stringify({ nodes: [canvasText(text)], edges: [] }) : text,
      ]),
    ),
  );

function canvasText(text: string): object {
  return { id: 'n', type: 'text', text, x: 0, y: 0, width: 9, height: 9 };
}

const glob = fc.constantFrom(
  'Secret',
  'Secret/**',
  '/Secret/',
  'secret/deep',
  '**/Secret/**',
  'Open',
  'Old (2020)',
  '[x] Done',
  'U\u0308nter',
  '*.md',
  '**/Home.md',
  '**/*.png',
  'S*',
  '{Open,Secret}/**',
  '**/*lan*',
);

const rule = fc.record({
  allow: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.array(glob, { minLength: 1, maxLength: 3 }) },
  ),
  deny: fc.array(glob, { maxLength: 3 }),
});

/** Every read an agent can make, with arguments that reach what may be hidden. */
function questions(paths: readonly string[]): [string, Record<string, unknown>][] {
  const asked: [string, Record<string, unknown>][] = [
    ['vault_status', {}],
    ['note_list', {}],
    ['note_list', { path_glob: '**/Secret/**' }],
    ['note_list', { path_glob: '!Open/**', sort: '-title' }],
    ['note_list', { limit: 2 }],
    ['note_list', { frontmatter: { up: '[[Home]]' } }],
    ['link_unresolved', { limit: 200 }],
    ['link_unresolved', { limit: 1 }],
    ['link_orphans', { limit: 200 }],
    ['tag_list', { limit: 500 }],
    ['tag_list', { prefix: 'hidden/' }],
    ['note_history', {}],
    ['trash_list', {}],
    ...TAGS.map((tag): [string, Record<string, unknown>] => ['tag_notes', { tag }]),
    ...WORDS.map((q): [string, Record<string, unknown>] => ['vault_search', { q, limit: 50 }]),
    ['vault_search', { q: 'quoka' }],
    ['vault_search', { q: 'walaby', mode: 'hybrid' }],
    ['vault_search', { q: 'alpha bravo zulu', mode: 'semantic', limit: 50 }],
    ['vault_search', { q: 'alpha bravo zulu', mode: 'hybrid', limit: 50 }],
    ['vault_search', { q: '-alpha', limit: 50 }],
    ['vault_search', { q: '/[aeiou]lpha|Secret/', limit: 50 }],
    ['vault_search', { q: 'path:secret', limit: 50 }],
    ['vault_search', { q: 'tag:#hidden', limit: 50 }],
    ['vault_search', { q: 'alpha OR zulu', path_glob: '**/Secret/**' }],
  ];
  const named = new Set([...paths, ...NAMES, 'Hom', 'Secret/Hme.md', 'secret/home', 'Deep/Foo', 'Dairy']);
  for (const one of named) {
    asked.push(
      ['note_exists', { path: one }],
      [
        'note_read',
        { path: one, include: ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'] },
      ],
      ['note_related', { path: one, limit: 20 }],
      ['link_backlinks', { path: one }],
      ['link_forward', { path: one, limit: 200 }],
    );
  }
  return asked;
}

async function ask(session: VaultSession, name: string, args: Record<string, unknown>): Promise<unknown> {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`There is no operation ${name}.`);
  const context = { signal: new AbortController().signal, progress: () => {} };
  try {
    const output = await operation.run(session, parseInput(operation, args), context);
    return comparable(output, operation.summarise(output, args as never));
  } catch (error) {
    if (!isLecternError(error)) throw error;
    return { code: error.code, message: error.message, details: error.details, next: error.next };
  }
}

/** Without what cannot agree between two folders, and without what a score decides. */
function comparable(output: Record<string, unknown>, summary: string): unknown {
  const { location: _l, name: _n, modified: _m, vectors: _v, next_cursor: cursor, ...rest } = output;
  if (rest.stats) rest.stats = { ...rest.stats, created: '' };
  const results = rest.results as { path: string; score: number }[] | undefined;
  if (results === undefined)
    return { ...rest, more: cursor !== null, summary: summary.replace(/cursor \S+/, '') };
  const hits = results.map(({ score: _score, ...hit }) => hit);
  return { ...rest, results: hits.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

async function opened(contents: Record<string, string>, rules: AccessRules): Promise<TestVault> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-vault-'));
  const state = mkdtempSync(join(tmpdir(), 'lectern-state-'));
  writeTree(folder, contents);
  for (const one of Object.keys(contents)) utimesSync(join(folder, one), 1_700_000_000, 1_700_000_000);
  return openTestVault({}, { rules, reopen: { folder, state } });
}

it('a vault behind rules answers like one without the hidden files', async () => {
  await fc.assert(
    fc.asyncProperty(files, rule, async (contents, read) => {
      const rules = { ...OPEN_ACCESS, read };
      const access = new Access([rules]);
      const seen = Object.fromEntries(Object.entries(contents).filter(([one]) => access.mayRead(one)));
      const behind = await opened(contents, rules);
      const without = await opened(seen, OPEN_ACCESS);
      try {
        for (const [name, args] of questions(Object.keys(contents))) {
          expect(
            await ask(behind.session, name, args),
            `${name} ${JSON.stringify(args)} behind ${JSON.stringify(read)}`,
          ).toEqual(await ask(without.session, name, args));
        }
        for (const typed of ['', 'S', 'secret', 'h', 'O', '会'])
          expect(await behind.session.complete(typed, 50)).toEqual(await without.session.complete(typed, 50));
      } finally {
        for (const vault of [behind, without]) {
          await vault.close();
          discard(vault);
        }
      }
    }),
    { numRuns: Number(process.env.LECTERN_RUNS ?? 8), seed: 20261127, endOnFailure: true },
  );
}, 120_000);
