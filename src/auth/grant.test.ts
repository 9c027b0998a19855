import { describe, expect, it } from 'vitest';
import { parseScopes, scopeWords } from './grant.ts';

describe('parseScopes', () => {
  it('lets a stronger scope include the weaker ones', () => {
    expect(parseScopes(['vault:read']).scopes).toEqual(['vault:read']);
    expect(parseScopes(['vault:write']).scopes).toEqual(['vault:read', 'vault:write']);
    expect(parseScopes(['vault:admin']).scopes).toEqual(['vault:read', 'vault:write', 'vault:admin']);
  });

  it('narrows by paths and tools', () => {
    expect(
      parseScopes([
        'vault:write',
        'path:Projects/**',
        'path:!Projects/Secret',
        'tool:note_*',
        'tool:!note_delete',
        'vault-name:work',
        'catalogue:joplin',
      ]),
    ).toEqual({
      scopes: ['vault:read', 'vault:write'],
      paths: { allow: ['Projects/**'], deny: ['Projects/Secret'] },
      tools: { allow: ['note_*'], deny: ['note_delete'] },
      vaults: ['work'],
      catalogues: ['joplin'],
    });
  });

  it.each([
    ['vault:reed'],
    ['vault:*'],
    ['path:'],
    ['path:!!x'],
    ['tool:'],
    ['*'],
    [''],
    ['constructor:x'],
    ['vault-name:'],
    ['vault-name:!x'],
    ['catalogue:'],
    ['catalogue:!joplin'],
  ])('refuses %j: a typing error must not open anything', (word) => {
    expect(() => parseScopes(['vault:read', word])).toThrow(/Unknown scope/);
  });

  it('refuses a grant of nothing', () => {
    expect(() => parseScopes([])).toThrow(/nothing/);
    expect(() => parseScopes(['path:Projects'])).toThrow(/nothing/);
  });

  it('is read back from its own words', () => {
    const words = [
      'vault:write',
      'path:A b/**',
      'path:!C',
      'tool:note_*',
      'tool:!note_delete',
      'vault-name:Büro',
      'catalogue:joplin',
    ];
    expect(scopeWords(parseScopes(words))).toEqual(words);
  });
});
