import { expect, test } from 'vitest';
import { matches, type OfferPolicy, offered } from './offer.ts';
import { OPERATIONS } from './registry.ts';

const all: OfferPolicy = { scopes: ['vault:read', 'vault:write', 'vault:admin'], allow: [], deny: [] };
const names = (policy: Partial<OfferPolicy>) =>
  offered(OPERATIONS, { ...all, ...policy }).map(({ name }) => name);

test('without rules every operation is offered, in its order', () => {
  expect(names({})).toEqual(OPERATIONS.map(({ name }) => name));
});

test('a reader is not offered what writes', () => {
  const offered = names({ scopes: ['vault:read'] });
  expect(offered).toContain('note_read');
  expect(offered).not.toContain('note_write');
  expect(offered).not.toContain('note_undo');
});

test('patterns allow and deny, and deny wins', () => {
  expect(names({ allow: ['link_*', 'note_read'], deny: ['link_orphans'] })).toEqual([
    'note_read',
    'link_backlinks',
    'link_forward',
    'link_unresolved',
  ]);
});

test('patterns are those of paths: braces, classes, one sign', () => {
  expect(names({ allow: ['{tag,trash}_list', 'note_rea?', 'link_[fo]*'] })).toEqual([
    'note_read',
    'link_forward',
    'link_orphans',
    'tag_list',
    'trash_list',
  ]);
  expect(matches('joplin/create_note', ['joplin/*'])).toBe(true);
  expect(matches('joplin/create_note', ['*'])).toBe(false);
  // A pattern with too many alternatives is refused.
  expect(() => names({ deny: ['{a,b}'.repeat(14)] })).toThrow(
    expect.objectContaining({ code: 'invalid_input' }),
  );
});

test('a name that no tool has is an error with a suggestion', () => {
  expect(() => names({ deny: ['note_delte'] })).toThrow(
    expect.objectContaining({ code: 'invalid_input', next: 'Did you mean note_delete?' }),
  );
});
