import { expect, test } from 'vitest';
import { vaultSearch } from './vault-search.ts';

const hit = {
  path: 'Boats/Curlew.md',
  title: 'Curlew',
  score: 0.62,
  snippet: 'The **planks** are soft.',
  line: 12,
  headings: ['Survey', 'Hull'],
  tags: ['boat'],
  matched_in: ['body', 'meaning'],
};

function rendered(...results: (typeof hit)[]): string {
  const input = { q: 'planks', syntax: 'obsidian', mode: 'hybrid', limit: 5 } as const;
  return vaultSearch.render(
    { results, mode_used: 'hybrid', total: results.length, next_cursor: null },
    input,
  );
}

test('a hit is its place, the section to read, and the words that match', () => {
  expect(rendered(hit)).toBe('Boats/Curlew.md:12 › Hull (0.62)\n  The **planks** are soft.');
});

test('a title that the file name does not tell is there', () => {
  expect(rendered({ ...hit, title: 'The curlew', headings: [] })).toBe(
    'Boats/Curlew.md:12 "The curlew" (0.62)\n  The **planks** are soft.',
  );
});

test('where a hit matched is said when no mark shows it', () => {
  const unmarked = { ...hit, snippet: 'Soft wood.', matched_in: ['tag', 'meaning'] };
  expect(rendered(unmarked)).toContain('(0.62; tag, meaning)\n');
});
