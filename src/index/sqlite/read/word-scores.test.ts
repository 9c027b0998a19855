import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { LexicalQuery, LexicalTerm, NoteIndexReader, PathFilter } from '../../note-index.ts';
import { ReadConnection } from '../connection.ts';
import { inputs, scratchIndex } from '../testing.ts';
import { openVectorReader } from '../vectors/reader.ts';
import { FTS_WEIGHTS, matchExpression } from '../write/fts.ts';
import { openIndexWriter } from '../write/writer.ts';
import { openIndexReader } from './reader.ts';

const WORDS = [
  'alpha',
  'bravo',
  'charlie',
  'delta',
  'naïve',
  '会議',
  'well-known',
  'alphabet',
  'a',
  'AS',
  'äther',
  'a1',
];
const visible: PathFilter = { key: 'seen', test: (path) => !path.startsWith('Private/') };
const everything: PathFilter = { key: 'all', test: () => true };

/** Timeout, ms: each run writes one or two indexes to disk. */
const SLOW_MS = 120_000;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join(' '));
const note = fc
  .tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS), text)
  .map(([title, heading, body]) => `# ${title}\n\n#${heading}\n\n## ${heading}\n\n${body}\n`);
const path = fc
  .tuple(fc.constantFrom('', 'a/', 'Private/', 'Private/b/'), fc.constantFrom(...WORDS), fc.nat(9))
  .map(([folder, name, at]) => `${folder}${name} ${at}.md`);
const files = fc.dictionary(path, note, { minKeys: 1, maxKeys: 12 });

const term: fc.Arbitrary<LexicalTerm> = fc
  .record({
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 2 }),
    prefix: fc.boolean(),
    letters: fc.integer({ min: 1, max: 4 }),
    fields: fc.option(fc.constantFrom(['title', 'path'], ['body', 'heading', 'tag'], ['body']), {
      nil: undefined,
    }),
  })
  .map(({ words, prefix, letters, fields }) => ({
    text: prefix ? words[0]?.slice(0, letters) || '' : words.join(' '),
    phrase: words.length > 1,
    prefix,
    ...(fields && { fields: fields as NonNullable<LexicalTerm['fields']> }),
  }));
const query: fc.Arbitrary<LexicalQuery> = fc.record({
  required: fc.array(term, { maxLength: 2 }),
  optional: fc.array(term, { maxLength: 3 }),
  excluded: fc.array(term, { maxLength: 1 }),
});

interface Index {
  readonly path: string;
  readonly write: (files: Record<string, string>) => void;
  readonly remove: (paths: readonly string[]) => void;
  readonly reader: NoteIndexReader;
  readonly vectors: ReturnType<typeof openVectorReader>;
}

function indexOf(contents: Record<string, string>): Index {
  const { path: at, remove } = scratchIndex();
  const writer = openIndexWriter(at, { dialect: 'obsidian' });
  writer.apply(inputs(contents), []);
  const reader = openIndexReader(at);
  const vectors = openVectorReader(at);
  ends.push(async () => {
    await reader.close();
    await vectors.close();
    writer.close();
    remove();
  });
  return {
    path: at,
    write: (more) => writer.apply(inputs(more), []),
    remove: (paths) => writer.apply([], paths),
    reader,
    vectors,
  };
}

const scored = async ({ reader }: Index, asked: LexicalQuery, filter?: PathFilter) => {
  const { items, total } = await reader.lexical(asked, { limit: 50, ...(filter && { visible: filter }) });
  return { items: items.map(({ path: found, score }) => ({ path: found, score })), total };
};

/** FTS5's own result for a query. */
function byFts5({ path: at }: Index, asked: LexicalQuery) {
  const match = matchExpression(asked);
  if (match.kind !== 'match') return undefined;
  const connection = new ReadConnection(at);
  const rows = connection.read(undefined, () =>
    connection.all(
      `SELECT f.path, -bm25(fts, ${FTS_WEIGHTS}) AS score FROM fts JOIN file f ON f.id = fts.rowid WHERE fts MATCH ?`,
      match.expression,
    ),
  );
  connection.close();
  return {
    items: rows.map((row) => ({ path: String(row.path), score: Number(row.score) })),
    total: rows.length,
  };
}

it(
  'scores as FTS5 does where everything can be seen',
  async () => {
    await fc.assert(
      fc.asyncProperty(files, query, async (contents, asked) => {
        const index = indexOf(contents);
        const own = byFts5(index, asked) ?? (await scored(index, asked));
        const without = await scored(index, asked);
        expect(without.total).toBe(own.total);
        expect(without.items.map(({ path: found }) => found).toSorted()).toEqual(
          own.items.map(({ path: found }) => found).toSorted(),
        );
        const seen = await scored(index, asked, everything);
        expect(seen.total).toBe(own.total);
        const byPath = (all: typeof own.items) => all.toSorted((a, b) => (a.path < b.path ? -1 : 1));
        const pairs = [seen, without].flatMap(({ items }) =>
          byPath(own.items).map((hit, at) => [hit, byPath(items)[at]] as const),
        );
        for (const [hit, other] of pairs) {
          expect(other?.path).toBe(hit.path);
          expect(other?.score).toBeCloseTo(hit.score, 8);
        }
        await ends.pop()?.();
      }),
      { numRuns: 40 },
    );
  },
  SLOW_MS,
);

it(
  'gives the very scores of an index without what is hidden, whatever was written and removed',
  async () => {
    const steps = fc.array(fc.tuple(path, fc.option(note, { nil: undefined })), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(files, steps, query, async (contents, changes, asked) => {
        const seen = (all: Record<string, string>) =>
          Object.fromEntries(Object.entries(all).filter(([one]) => visible.test(one)));
        const index = indexOf(contents);
        const without = indexOf(seen(contents));
        for (const [at, now] of changes)
          for (const each of [index, without]) {
            if (each === without && !visible.test(at)) continue;
            if (now === undefined) each.remove([at]);
            else each.write({ [at]: now });
          }
        expect(await scored(index, asked, visible)).toEqual(await scored(without, asked, visible));
        const best = async ({ vectors }: Index) => {
          const hits = await vectors.lexical(asked, 5, visible);
          const names = await vectors.files(hits.map(({ note: id }) => id));
          return hits.map(({ note: id, score }) => [names.get(id)?.path, score]);
        };
        expect(await best(index)).toEqual(await best(without));
        await ends.pop()?.();
        await ends.pop()?.();
      }),
      { numRuns: 40 },
    );
  },
  SLOW_MS,
);

it('pages through hits of equal score without losing or repeating one', async () => {
  const names = Array.from({ length: 25 }, (_, at) => `${String.fromCharCode(97 + ((at * 7) % 25))}.md`);
  const index = indexOf(Object.fromEntries(names.map((name) => [name, 'alpha\n'])));
  const asked = { required: [{ text: 'alpha', phrase: false, prefix: false }], optional: [], excluded: [] };
  for (const one of [asked, { ...asked, required: [] }]) {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await index.reader.lexical(one, {
        limit: 4,
        visible: everything,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page.total).toBe(25);
      found.push(...page.items.map((hit) => hit.path));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(found.toSorted()).toEqual(names.toSorted());
  }
});

it('counts the words of what a caller may see, though their query looks at a part of it', async () => {
  const index = indexOf({
    'a/one.md': 'alpha bravo\n',
    'b/two.md': 'alpha\n',
    'b/three.md': 'charlie delta\n',
  });
  const asked = { required: [{ text: 'alpha', phrase: false, prefix: false }], optional: [], excluded: [] };
  const whole = await scored(index, asked, everything);
  const inA: PathFilter = { key: 'a', test: (one) => one.startsWith('a/'), view: everything };
  expect((await scored(index, asked, inA)).items).toEqual(
    whole.items.filter(({ path: found }) => found.startsWith('a/')),
  );
});
