import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { discard, openTestVault } from '../../../test/support/test-vault.ts';
import { openIndexReader } from '../../index/sqlite/read/reader.ts';
import { parseNote } from '../../notes/parse.ts';
import { Pacer } from '../../search/pacer.ts';
import { openFolderStore } from '../../stores/folder/folder-store.ts';
import { Access, OPEN_ACCESS } from '../access.ts';
import { loadSettings } from '../load-settings.ts';
import { FileTable } from './file-table.ts';
import { planRelinking, type RelinkParts, type RelinkPlan } from './plan.ts';
import { relinkNote } from './relink.ts';
import { relinkInSlices } from './relink-in-slices.ts';

/** Planning makes room for other work after every step, and parses elsewhere: what is planned stays the same. */

class EveryStep extends Pacer {
  override get due(): boolean {
    return true;
  }
}
class NoStep extends Pacer {
  override get due(): boolean {
    return false;
  }
}

const line = fc.constantFrom(
  '[[Old]]',
  '[[Old#Part|p]] and [[old]]',
  '[[a/Old|Old]]',
  '![[Old#^b]]',
  '[[Other]]',
  '[[Nowhere]]',
  '[x](../a/Old.md) `[[Old]]`',
  '[x][ref] [y][ref]',
  '[ref]: ../a/Old.md',
  '## See [[Old]]',
  '[[Two#See Old]] [[One#See Old]]',
  '',
);
const note = fc
  .tuple(fc.constantFrom('', '---\nup: "[[Old]]"\n---\n'), fc.array(line, { maxLength: 12 }))
  .map(([properties, lines]) => properties + lines.join('\n'));

const plain = ({ again: _, ...plan }: RelinkPlan) => plan;

it('a move is planned in slices and with notes parsed elsewhere as it is planned at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(note, note, note), fc.integer({ min: 1, max: 4 }), async (texts, atOnce) => {
      const vault = await openTestVault({
        'a/Old.md': `# Old\n\n## Part\n\n[[Other]] ^b\n\n${texts[0]}`,
        'Other.md': '',
        'b/One.md': texts[1],
        'b/Two.md': texts[2],
        'b/Board.canvas': JSON.stringify({
          nodes: [
            { id: '1', type: 'file', file: 'a/Old.md', subpath: '#Part' },
            { id: '2', type: 'text', text: texts[1] },
          ],
        }),
      });
      const store = await openFolderStore({ root: vault.folder });
      const reader = openIndexReader(join(vault.state, 'index.db'));
      try {
        const settings = await loadSettings(store, () => {});
        const { dialect } = settings;
        const unsliced: RelinkParts = {
          store,
          settings,
          parse: async (text) => parseNote(text, { dialect }),
          pacer: () => new NoStep(Number.POSITIVE_INFINITY),
        };
        const sliced: RelinkParts = {
          ...unsliced,
          parse: async (text) => structuredClone(parseNote(text, { dialect })),
          pacer: () => new EveryStep(Number.POSITIVE_INFINITY),
        };
        const moved = new Map([['a/Old.md', 'c/New.md']]);
        const access = new Access([OPEN_ACCESS]);
        const plan = async (parts: RelinkParts) =>
          plain(await planRelinking({ moved, added: [] }, parts, reader, access));
        expect(await plan(sliced)).toEqual(await plan(unsliced));

        const before = await FileTable.of(reader);
        const after = before.after({ moved, added: [] });
        const change = { before, after, moved, settings, folder: undefined, retitled: new Map() };
        const { links, frontmatter } = parseNote(texts[1], { dialect });
        const given = ['b/One.md', texts[1], links, frontmatter, change] as const;
        const pacer = new EveryStep(Number.POSITIVE_INFINITY);
        expect(await relinkInSlices(...given, pacer, atOnce)).toEqual(relinkNote(...given));
      } finally {
        await reader.close();
        await vault.close();
        discard(vault);
      }
    }),
    { numRuns: 25 },
  );
});
