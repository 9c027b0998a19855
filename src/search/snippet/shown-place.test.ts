import { afterAll, describe, expect, test } from 'vitest';
import { searchFixture } from '../testing.ts';

const lines = (...text: string[]): string => `${text.join('\n')}\n`;

const vault = searchFixture({
  'Tasks.md': lines(
    '# Call',
    '',
    'call me, call, call',
    '',
    '- [x] call done',
    '',
    'more',
    '',
    '- [ ] call Bob',
    '- [ ] write',
  ),
  'Scopes.md': lines('## Flour', 'flour here', 'mix there', '', 'mix the flour', '', '## End', 'the mix'),
  'Not.md': lines('foo bar', '', 'foo only'),
  'Case.md': lines('happycat first', 'happycat again', '', '## Deep', '', 'HappyCat'),
  'Tag.md': lines('work is hard work', '', '#other', '', 'this is #work indeed'),
  'Front.md': lines('---', 'note: key word', '---', 'word here'),
  'Accents.md': lines('Ærø æ œ ﬁ', '', 'Ærø cœur', 'the œuvre of Zoë'),
});
afterAll(() => vault.close());

async function shown(query: string) {
  const [hit] = (await vault.search(query)).items;
  return [hit?.line, hit?.headings.at(-1), hit?.snippet.split(' ').slice(0, 5).join(' '), hit?.matchedIn];
}

describe('the place shown is the one that satisfied the operator', () => {
  test.each([
    ['task:call', 5, 'Call', '- [x] **call** done more', ['title', 'body']],
    ['task-todo:call', 9, 'Call', '- [ ] **call** Bob', ['title', 'body']],
    ['task-todo:""', 9, 'Call', '- [ ] call Bob', ['body']],
    ['task:(call -done)', 9, 'Call', '- [ ] **call** Bob', ['title', 'body']],
    ['task:/wr.te/', 10, 'Call', '- [ ] **write**', ['body']],
    ['line:(mix -there)', 5, 'Flour', '**mix** the flour', ['body']],
    ['block:(mix the)', 3, 'Flour', '**mix the**re mix the flour', ['body']],
    ['section:(mix -flour)', 8, 'End', 'the **mix**', ['body']],
    ['section:(flour line:(mix the -flour))', 3, 'Flour', '**mix the**re mix the flour', ['body']],
    ['line:(foo -bar)', 3, undefined, '**foo** only', ['body']],
    ['line:nothing OR line:(foo -bar)', 3, undefined, '**foo** only', ['body']],
    ['match-case:HappyCat', 6, 'Deep', '**HappyCat**', ['body']],
    ['match-case:"Happy"', 6, 'Deep', '**Happy**Cat', ['body']],
    ['line:(key word)', 2, undefined, 'note: **key word**', ['body']],
    ['line:œuvre', 4, undefined, 'the **œuvre** of Zoë', ['body']],
    ['tag:work', 5, undefined, 'this is **#work** indeed', ['tag', 'body']],
    ['tag:#work hard', 1, undefined, '**work** is **hard work** #other', ['tag', 'body']],
  ] as const)('%s', async (query, line, heading, snippet, matchedIn) => {
    expect(await shown(query)).toEqual([line, heading, snippet, matchedIn]);
  });
});
