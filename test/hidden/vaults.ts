import { mkdtempSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Store } from '../../src/stores/store.ts';
import { Access, type AccessRules, OPEN_ACCESS } from '../../src/vault/access.ts';
import type { VaultSession } from '../../src/vault/session.ts';
import { ACTOR, discard, openTestVault, type TestVault } from '../support/test-vault.ts';
import { writeTree } from '../support/write-tree.ts';

/** Vaults and rules by chance: names that meet in different folders, links in every form, rules of every kind. */

export const FOLDERS = [
  '',
  'Open/',
  'Secret/',
  'Secret/Deep/',
  'Open/Secret/',
  'Old (2020)/',
  '[x] Done/',
  'Ünter/',
];
export const NAMES = ['Home', 'Plan', 'Secret plan', 'Foo', 'home', 'Diary', '会議', 'a.b'];
const ENDINGS = ['.md', '.md', '.md', '.md', '.canvas', '.png'];
export const TAGS = ['open', 'Open', 'hidden/one', 'hidden', 'x/y/z', 'only-here'];
export const WORDS = ['alpha', 'bravo', 'charlie', 'zulu', 'xylophone', '会', 'quokka', 'wallaby'];

export type Files = Readonly<Record<string, string>>;

export const anyPath = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES), fc.constantFrom(...ENDINGS))
  .map((parts) => parts.join(''));

const target = fc.oneof(
  fc.constantFrom(...NAMES),
  anyPath,
  anyPath.map((one) => one.replace(/\.md$/, '')),
  fc.constantFrom('Missing', './Plan', '../Home', '/Secret/Foo', 'Deep/Foo'),
);

const piece = fc.oneof(
  target.map((one) => `[[${one}]]`),
  target.map((one) => `![[${one}#Part|shown]]`),
  target.map((one) => `[text](<${one}>)`),
  fc.constantFrom(...TAGS).map((one) => `#${one}`),
  fc.constantFrom(...WORDS),
);

export const anyNote = fc
  .tuple(
    fc.array(piece, { maxLength: 6 }),
    fc.option(target, { nil: undefined }),
    fc.option(fc.constantFrom(...TAGS), { nil: undefined }),
  )
  .map(([pieces, up, tag]) => {
    const front = [...(up ? [`up: "[[${up}]]"`] : []), ...(tag ? [`tags: [${tag}]`] : [])];
    const head = front.length > 0 ? `---\n${front.join('\n')}\n---\n` : '';
    const task = pieces.length % 2 === 0 ? '' : `\n- [ ] do #${tag ?? 'open'} 📅 2026-03-04\n`;
    return `${head}# Part\n\n${pieces.join(' ')}\n${task}`;
  });

export const anyFiles: fc.Arbitrary<Files> = fc
  .dictionary(anyPath, anyNote, { minKeys: 4, maxKeys: 24 })
  .map((entries) =>
    Object.fromEntries(
      Object.entries(entries).map(([name, text]) => [
        name,
        name.endsWith('.canvas') ? JSON.stringify(canvasOf(text)) : text,
      ]),
    ),
  );

/** The text in a node, each file that it names in another beside it, all in a group. */
export function canvasOf(text: string): { nodes: object[]; edges: object[] } {
  const files = [...text.matchAll(/\[\[([^\]#|]+)/g)].map(([, name = '']) => name);
  const shown = files.map((file, at) => ({
    id: `f${at}`,
    type: 'file',
    file: /\.\w+$/.test(file) ? file : `${file}.md`,
    ...frame(20 * (at + 1), 9),
  }));
  return {
    nodes: [
      { id: 'g', type: 'group', label: 'Plan', ...frame(0, 900) },
      { id: 'n', type: 'text', text, ...frame(1, 9) },
      ...shown,
    ],
    edges: shown.map(({ id }) => ({ id: `e-${id}`, fromNode: 'n', toNode: id })),
  };
}

function frame(x: number, size: number): object {
  return { x, y: x, width: size, height: size };
}

const glob = fc.constantFrom(
  'Secret',
  'Secret/**',
  '/Secret/',
  'secret/deep',
  '**/Secret/**',
  'Open',
  'Old (2020)',
  '[x] Done',
  'U\u0308nter',
  '*.md',
  '**/Home.md',
  '**/*.png',
  'S*',
  '{Open,Secret}/**',
  '**/*lan*',
);

export const anyReadRule = fc.record({
  allow: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.array(glob, { minLength: 1, maxLength: 3 }) },
  ),
  deny: fc.array(glob, { minLength: 1, maxLength: 3 }),
});

const FEW_FOLDERS = ['', 'Open/', 'Secret/', 'Secret/Deep/', 'Open/Secret/'];
const FEW_NAMES = ['Home', 'Plan', 'Foo', 'Diary'];

/** A place among few, so that names meet. */
export const anyPlace = fc
  .tuple(fc.constantFrom(...FEW_FOLDERS), fc.constantFrom(...FEW_NAMES))
  .map((parts) => `${parts.join('')}.md`);

const namesakeLink = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FEW_NAMES).map((name) => `[[${name}]]`) },
  { weight: 1, arbitrary: anyPlace.map((place) => `[[${place.replace(/\.md$/, '')}#Part|shown]]`) },
  { weight: 1, arbitrary: anyPlace.map((place) => `[text](<${place}>)`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '[[./Plan]]',
      '[up](../Home.md)',
      '[[Foo#Part]]',
      '#hidden',
      '[[Plan#See Foo]]',
      '[[Home#Diary and more]]',
    ),
  },
);

/** A heading may hold a link, and its text changes with it. */
const heading = fc.constantFrom('# Part', '# Part', '# Part', '# See [[Foo]]', '# [[Diary|Diary]] and more');

/** Notes of few names in few folders, full of links by name. */
export const anyNamesakes: fc.Arbitrary<Files> = fc.dictionary(
  anyPlace,
  fc
    .tuple(heading, fc.array(namesakeLink, { minLength: 1, maxLength: 6 }))
    .map(([first, links]) => `${first}\n\n${links.join(' ')}\n`),
  { minKeys: 6, maxKeys: 18 },
);

/** Mostly one folder that is hidden. */
export const anyFolderRule = fc.constantFrom(
  { allow: [], deny: ['Secret'] },
  { allow: [], deny: ['Secret/**'] },
  { allow: [], deny: ['**/Secret/**'] },
  { allow: ['Open'], deny: [] },
  { allow: [], deny: ['**/Diary.md', 'Secret/Deep'] },
);

/** A vault, and the session of a caller who may not see all of it. */
export interface World extends TestVault {
  readonly narrow: VaultSession;
}

export interface TwoWorlds {
  /** With hidden notes, behind rules. */
  readonly behind: World;
  /** The same rules over a vault from which the hidden notes were taken away. */
  readonly without: World;
  readonly isSeen: (path: string) => boolean;
  close(): Promise<void>;
}

/** By what a vault's program is known. */
export const MARKS = {
  obsidian: '.obsidian/app.json',
  logseq: 'logseq/config.edn',
  silverbullet: '.silverbullet.db',
};
export const anyMark = fc.constantFrom(MARKS.obsidian, MARKS.obsidian, MARKS.logseq, MARKS.silverbullet);

export interface WorldOptions {
  /** The rules are the caller's, not the owner's. */
  readonly byGrant?: boolean;
  /** See {@link MARKS}. */
  readonly mark?: string;
  /** Wraps the stores of both. */
  readonly wrap?: (store: Store) => Store;
}

/** The same vault twice, once without what the rules hide. */
export async function twoWorlds(
  files: Files,
  rules: AccessRules,
  options: WorldOptions = {},
): Promise<TwoWorlds> {
  const access = new Access([rules]);
  const isSeen = (path: string) => access.mayRead(path);
  const seen = Object.fromEntries(Object.entries(files).filter(([path]) => isSeen(path)));
  const [behind, without] = [await openWorld(files, rules, options), await openWorld(seen, rules, options)];
  return {
    behind,
    without,
    isSeen,
    async close() {
      for (const world of [behind, without]) {
        await world.close();
        discard(world);
      }
    },
  };
}

/** For callers who see everything. */
export function openWhole(files: Files): Promise<World> {
  return openWorld(files, OPEN_ACCESS);
}

async function openWorld(
  files: Files,
  rules: AccessRules,
  { byGrant = false, mark = MARKS.obsidian, wrap }: WorldOptions = {},
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-vault-'));
  const state = mkdtempSync(join(tmpdir(), 'lectern-state-'));
  writeTree(folder, { ...files, [mark]: '{}' });
  for (const one of Object.keys(files)) utimesSync(join(folder, one), 1_700_000_000, 1_700_000_000);
  const opened = await openTestVault(
    {},
    { rules: byGrant ? OPEN_ACCESS : rules, reopen: { folder, state }, ...(wrap && { wrap }) },
  );
  const actor = { ...ACTOR, session: 'narrow' };
  return { ...opened, narrow: opened.vault.session(actor, byGrant ? [rules] : []) };
}
