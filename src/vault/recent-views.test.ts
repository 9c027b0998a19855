import { expect, it } from 'vitest';
import { viewOf } from '../notes/note-view.ts';
import { parseNote } from '../notes/parse.ts';
import { RecentViews } from './recent-views.ts';

const view = (text: string) => viewOf(parseNote(text, { dialect: 'obsidian' }));

it('knows a note again by its text', () => {
  const views = new RecentViews();
  const first = view('# One\n');
  views.keep('a', first);
  expect(views.get('a', '# One\n')).toBe(first);
  expect(views.get('a', '# Other text of the same etag\n')).toBeUndefined();
  expect(views.get('b', '# One\n')).toBeUndefined();
});

it('keeps what was used last, within bounds, and the newest always', () => {
  const views = new RecentViews();
  const text = (letter: string) => letter.repeat(400_000);
  views.keep('a', view(text('a')));
  views.keep('b', view(text('b')));
  expect(views.get('a', text('a'))).toBeDefined();
  views.keep('c', view(text('c')));
  expect(views.get('b', text('b'))).toBeUndefined();
  expect(views.get('a', text('a'))).toBeDefined();
  views.keep('large', view('x'.repeat(2_000_000)));
  expect(views.get('a', text('a'))).toBeUndefined();
  expect(views.get('large', 'x'.repeat(2_000_000))).toBeDefined();
  views.keep('d', view('d'));
  expect(views.get('large', 'x'.repeat(2_000_000))).toBeUndefined();
  expect(views.get('d', 'd')).toBeDefined();
});
