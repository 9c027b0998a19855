import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSilverbulletWire, type SilverbulletWire } from './silverbullet-wire.ts';

/** What `search_pages` finds beside what silverbullet-mcp-server would, which reads every page. */

const PIECES = [
  'keel',
  'Keelson',
  'oak',
  'larch (dry)',
  '船大工',
  'Ünder',
  'C++',
  '[[Boat|her]]',
  'a/b',
  'x-1',
  '#tag',
];
const GAPS = [' ', '\n', '\n\n- ', ', ', '. '];

const FILES: Record<string, string> = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => {
    const words = Array.from({ length: 1 + (at % 9) }, (_, n) => PIECES[(at * 7 + n * n) % PIECES.length]);
    const text = words.map((word, n) => `${word}${GAPS[(at + n) % GAPS.length]}`).join('');
    const start = at % 3 === 0 ? `---\nstatus: open\ntags: [n${at}]\n---\n` : '';
    return [`F${at % 5}/Page ${at}${at % 11 === 0 ? ' keel' : ''}.md`, `${start}# ${at}\n\n${text}\n`];
  }),
);

let wire: SilverbulletWire;
beforeAll(async () => {
  wire = await openSilverbulletWire(FILES);
});
afterAll(() => wire.close());

interface Hit {
  readonly page: string;
  readonly path: string;
  readonly snippet: string;
  readonly matches: number;
}

async function searched(query: string, limit = 100): Promise<{ hits: readonly Hit[]; notice?: string }> {
  const { hits, notice } = await wire.client.facts('search_pages', { query, limit });
  return { hits: hits as Hit[], ...(typeof notice === 'string' && { notice }) };
}

const hitsOf = async (query: string, limit?: number) => (await searched(query, limit)).hits;

/** By reading everything: how often each page has it, its name counting as one. */
function naive(query: string): ReadonlyMap<string, number> {
  const needle = query.trim().toLowerCase();
  const counts = Object.entries(FILES).map(([path, text]): [string, number] => {
    const inText = text.toLowerCase().split(needle).length - 1;
    const inName = path.replace(/\.md$/, '').toLowerCase().includes(needle) ? 1 : 0;
    return [path, Math.max(inText, inName)];
  });
  return new Map(counts.filter(([, count]) => count > 0));
}

it('finds every page that has the text, in any part of a word, with the same count', async () => {
  const texts = Object.values(FILES);
  const query = fc
    .tuple(fc.nat(texts.length - 1), fc.nat(200), fc.integer({ min: 1, max: 14 }), fc.boolean())
    .map(([at, start, length, upper]) => {
      const text = texts[at] ?? '';
      const from = start % text.length;
      const part = [...text.slice(from, from + length)].join('').replace(/\p{Surrogate}/gu, '');
      return upper ? part.toUpperCase() : part;
    })
    .filter((part) => part.trim() !== '' && !/[\r\n]/.test(part.trim()));
  await fc.assert(
    fc.asyncProperty(query, async (part) => {
      const wanted = naive(part);
      const { hits, notice } = await searched(part);
      // On a machine that has no time for it the search says that it could not look everywhere.
      if (notice !== undefined) return;
      const found = new Map(hits.map(({ path, matches }) => [path, matches]));
      for (const [path, count] of wanted) expect(found.get(path), `${part} in ${path}`).toBe(count);
      // Others have all of its words, and stand below.
      const others = hits.slice(wanted.size);
      expect(hits.slice(0, wanted.size).every(({ path }) => wanted.has(path))).toBe(true);
      for (const { page, path } of others)
        for (const word of part.trim().toLowerCase().split(/\s+/))
          expect(`${page}\n${FILES[path]}`.toLowerCase()).toContain(word);
    }),
    { numRuns: 60 },
  );
}, 60_000);

it('shows the text around the first match, on one line', async () => {
  for (const { snippet, path } of await hitsOf('larch (dry)')) {
    expect(snippet).toContain('larch (dry)');
    expect(snippet).not.toMatch(/\s\s|\n/);
    expect(snippet.length).toBeLessThanOrEqual(60 + 'larch (dry)'.length + 140);
    expect(FILES[path]).toContain('larch (dry)');
  }
});

it('cuts to the limit, the text itself first', async () => {
  const all = await hitsOf('keel');
  expect(all.length).toBeGreaterThan(5);
  expect(await hitsOf('keel', 3)).toEqual(all.slice(0, 3));
});
