import { expect, test } from 'vitest';
import { indxCatalogue } from './indx/catalogue.ts';
import { offeredTools, type ToolPolicy } from './policy.ts';

const all: ToolPolicy = { scopes: ['vault:read', 'vault:write', 'vault:admin'], allow: [], deny: [] };
const names = (policy: Partial<ToolPolicy>) =>
  offeredTools(indxCatalogue, { ...all, ...policy }).tools.map((tool) => tool.name);

test('without rules every tool is offered, in the catalogue’s order', () => {
  expect(names({})).toEqual(indxCatalogue.tools.map((tool) => tool.name));
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

test('a name that no tool has is an error with a suggestion', () => {
  expect(() => names({ deny: ['note_delte'] })).toThrow(
    expect.objectContaining({ code: 'invalid_input', next: 'Did you mean note_delete?' }),
  );
});
