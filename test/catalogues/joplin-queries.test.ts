import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPORTED_VAULT, INVALID_QUERIES, QUERIES } from './joplin-vault.ts';
import { type JoplinWire, openJoplinWire } from './joplin-wire.ts';

let wire: JoplinWire;

beforeAll(async () => {
  wire = await openJoplinWire(EXPORTED_VAULT);
});
afterAll(() => wire.close());

const titlesOf = ({ results }: { results: readonly { title: string }[] }) =>
  results.map(({ title }) => title);

describe('queries in the language of Joplin', () => {
  it.each(QUERIES)('%s', async (query, titles) => {
    const found = await wire.call('search_notes', { query, limit: 100 });
    expect(titlesOf(found).sort()).toEqual([...titles].sort());
    expect(found.total).toBe(titles.length);
  });

  it.each(INVALID_QUERIES)('%s is an error', async (query) => {
    expect(await wire.refused('search_notes', { query })).toMatch(/^Invalid search query: /);
  });
});
