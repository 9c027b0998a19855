import { expect, test } from 'vitest';
import type { Page, PageRequest, PathFilter } from '../note-index.ts';
import { openIndexReader } from './read/reader.ts';
import { inputs, scratchIndex, words } from './testing.ts';
import { openIndexWriter } from './write/writer.ts';

/**
 * Latin names before and Chinese names after the keys' first letters; counts are equal, so the second sort
 * decides.
 */
const NAMES = [
  'alpha',
  'Beta',
  'mike',
  'november',
  'oscar',
  'zulu',
  '会議',
  'éclair',
  '🚀 go',
  '1',
  '%',
  'a/b',
];

const FILES = Object.fromEntries([
  ...NAMES.map((name, at) => [
    `Notes/${at} ${name.replace('/', '-')}.md`,
    `---\ntags: [t${at}, common/t${at}]\n---\n[[Missing ${name}]] [[gone ${name}]] [[${name}-x]] [[Hub]] [[${name}]] words`,
  ]),
  ['Hub.md', NAMES.map((name) => `[[Also ${name}]]`).join(' ')],
  ...NAMES.map((_, at) => [`Alone ${at}.md`, 'words alone']),
]);

const hideSome: PathFilter = { key: 'some', test: (path) => !/[37]/.test(path) };

test.each([
  ['everybody', undefined],
  ['a caller who may not see everything', hideSome],
])('pages of every list together are the list, for %s', async (_, visible) => {
  const { path, remove } = scratchIndex();
  const writer = openIndexWriter(path, { dialect: 'obsidian' });
  writer.apply(inputs(FILES), []);
  const reader = openIndexReader(path);
  const lists: Record<string, (page: PageRequest) => Promise<Page<unknown>>> = {
    unresolved: (page) => reader.unresolved(page),
    orphans: (page) => reader.orphans(page),
    tags: (page) => reader.tags(page),
    tagNotes: (page) => reader.tagNotes('common', page),
    backlinks: (page) => reader.backlinks('Hub.md', page),
    forward: (page) => reader.forward('Hub.md', page),
    byTitle: (page) => reader.list({}, '-title', page),
    bySize: (page) => reader.list({}, 'size', page),
    lexical: (page) => reader.lexical(words('words'), page),
  };
  try {
    for (const [name, list] of Object.entries(lists)) {
      const seen = visible ? { visible } : {};
      const whole = await list({ limit: 500, ...seen });
      expect(whole.items.length, name).toBe(whole.total);
      expect(whole.total, name).toBeGreaterThan(5);
      const paged: unknown[] = [];
      let cursor: string | null | undefined;
      do {
        const page: Page<unknown> = await list({ limit: 2, ...seen, ...(cursor && { cursor }) });
        paged.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor && paged.length <= whole.total);
      expect(paged, name).toEqual(whole.items);
    }
  } finally {
    await reader.close();
    writer.close();
    remove();
  }
});
