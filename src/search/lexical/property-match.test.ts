import { describe, expect, test } from 'vitest';
import { parseQuery } from '../query/parser.ts';
import { fold } from '../text/fold.ts';
import { matchesProperty } from './property-match.ts';

const DATA: Record<string, unknown> = {
  Status: 'In Progress',
  year: 2024,
  rating: 4.5,
  done: true,
  due: '2024-05-01',
  at: '2024-05-01T10:30',
  empty: null,
  text: '',
  list: [],
  tags: ['a/b', 'Café'],
  version: '1.10',
  joplin: '2021-01-01 00:00:00Z',
  moment: '2024-05-01T10:30:00.000+02:00',
  month: '2024-05',
  nested: { deep: [1] },
};

function matches(query: string, sensitive = false): boolean {
  const { root } = parseQuery(query);
  // Names with `OR` between them are several properties.
  const properties = root?.kind === 'or' ? root.parts : [root];
  return properties.some((property) => {
    if (property?.kind !== 'property') throw new Error(`${query} is no property query`);
    return matchesProperty(property, DATA, sensitive, (leaf, text) =>
      leaf.kind === 'regex' ? new RegExp(leaf.source, 'im').test(text) : fold(text).includes(fold(leaf.text)),
    );
  });
}

describe('what matches', () => {
  test.each([
    '[status]',
    '[STATUS:progress]',
    '[status:"in progress"]',
    '[status:nope OR prog]',
    '[status:in progress]',
    '[year:2024]',
    '[year:>2023]',
    '[year:>=2024]',
    '[year:<2025]',
    '[rating:>4]',
    '[rating:4.5]',
    '[done:true]',
    '[due:>2024-04-30]',
    '[due:<2024-05-02]',
    '[at:>2024-04-30]',
    '[due:2024-05]',
    '[empty]',
    '[empty:null]',
    '[text]',
    '[list]',
    '[tags:a/]',
    '[tags:cafe]',
    '[tags:"a/b"]',
    '[version:1.1]',
    '[/^y/]',
    '[/^st/:/^in/]',
    '[status:-done]',
    '[nested:deep]',
    '[status:null OR progress]',
    '[status:(nope OR prog)]',
    '[status:"nope" OR (in prog)]',
    '[status:-(nope OR done)]',
    '[year:>2000 <2025]',
    '[year:(<5 OR >2000)]',
    '[year:>3000 OR 2024]',
    '[missing OR year:2024]',
    '[(missing OR list)]',
    '[joplin:>2020-12-31]',
    '[joplin:<2021-01-02]',
    '[moment:>2024-04]',
    '[moment:<2024-05-01T10:31]',
    '[due:>2024-04]',
    '[due:>2023]',
    '[due:>=2024]',
    '[month:<2024-06-01]',
  ])('%s', (query) => expect(matches(query)).toBe(true));
});

describe('what does not', () => {
  test.each([
    '[stat]',
    '[status:"progress"]',
    '[year:20]',
    '[year:>2024]',
    '[year:<5]',
    '[done:false]',
    '[done:tru]',
    '[due:>2024-05-01]',
    '[text:null]',
    '[list:null]',
    '[missing:null]',
    '[tags:"a"]',
    '[status:>5]',
    '[list:x]',
    '[/^z/]',
    '[status:-progress]',
    '[empty:>0]',
    '[text:<1]',
    '[status:(nope OR done)]',
    '[year:>2000 <2020]',
    '[year:-(>2000)]',
    '[missing OR absent:2024]',
    '[joplin:>2021-01-01]',
    '[due:>2024-05]',
    '[due:<2024]',
    '[status:>2020]',
    '[version:>2024-01]',
  ])('%s', (query) => expect(matches(query)).toBe(false));
});
