import { expect, it } from 'vitest';
import { discard, openTestVault } from '../../../test/support/test-vault.ts';
import { callTool } from '../call.ts';
import { obsidianCatalogue } from './catalogue.ts';

it('the tags of a note are listed in the spelling of the vault, whatever their Unicode form', async () => {
  const vault = await openTestVault({
    'A.md': '#Caf\u00e9\n',
    'B.md': '#Caf\u00e9\n',
    'C.md': '#cafe\u0301\n',
  });
  try {
    const tool = obsidianCatalogue.tools.find(({ name }) => name === 'obsidian_list_tags');
    if (tool === undefined) throw new Error('There is no such tool.');
    const outcome = await callTool({
      catalogue: obsidianCatalogue,
      tool,
      arguments: { path: 'C.md' },
      vault: async () => vault.session,
      context: { signal: new AbortController().signal, progress: () => undefined },
      onUnexpected: (error) => {
        throw error;
      },
    });
    expect(JSON.stringify(outcome)).toContain('Caf\u00e9');
  } finally {
    await vault.close();
    discard(vault);
  }
});
