import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestDoorOptions } from '../support/test-door.ts';
import { type InklingsWire, openInklingsWire } from './inklings-wire.ts';

/** Requests that change pages: what is answered, and what is in the files then. */

const open: InklingsWire[] = [];
afterEach(async () => {
  for (const wire of open.splice(0)) await wire.close();
});

async function wireTo(
  files: Record<string, string>,
  options?: TestDoorOptions,
  scopes?: readonly string[],
): Promise<InklingsWire> {
  const wire = await openInklingsWire(files, options, scopes);
  open.push(wire);
  return wire;
}

const filesOf = (wire: InklingsWire) => wire.door.vault.files();
const slugsIn = (tree: unknown): string[] =>
  (tree as { slug: string; children: unknown }[]).flatMap(({ slug, children }) => [
    slug,
    ...slugsIn(children),
  ]);
const contentOf = async (wire: InklingsWire, slug: string) =>
  ((await wire.call('read_page', { slug })) as { content: string }).content;

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe('create_page', () => {
  it('at the top, and below a page in the folder of its name', async () => {
    const wire = await wireTo({ 'A.md': 'a\n' });
    expect(await wire.call('create_page', { title: "The Hero's Journey" })).toEqual({
      slug: 'the-hero-s-journey',
      title: "The Hero's Journey",
      page_id: UUID,
    });
    const below = { title: 'B', content: 'text', parent_slug: 'a' };
    expect(await wire.call('create_page', below)).toEqual({ slug: 'b', title: 'B', page_id: UUID });
    expect(
      await wire.call('create_page', { title: ' C\tc ', content: null, parent_slug: null }),
    ).toMatchObject({
      slug: 'c-c',
      title: 'C c',
    });
    expect(filesOf(wire)).toEqual({
      'A.md': 'a\n',
      "The Hero's Journey.md": '',
      'A/B.md': 'text',
      'C c.md': '',
    });
  });

  it('of one title again and again: files and slugs get numbers, the title stays', async () => {
    const wire = await wireTo({ 'Plan/x.md': '' });
    // The folder of that name is a page as well.
    for (const slug of ['plan-2', 'plan-3', 'plan-4'])
      expect(await wire.call('create_page', { title: 'PLAN', parent_slug: 'x' })).toMatchObject({ slug });
    expect(Object.keys(filesOf(wire)).sort()).toEqual([
      'Plan/x.md',
      'Plan/x/PLAN 2.md',
      'Plan/x/PLAN 3.md',
      'Plan/x/PLAN.md',
    ]);
    expect(filesOf(wire)['Plan/x/PLAN 2.md']).toBe('---\ntitle: PLAN\n---\n');
  });

  it('of a title that no file can have keeps the title in its properties', async () => {
    const wire = await wireTo({});
    const title = 'Who: what? / 50%% #1 [[x]]';
    expect(await wire.call('create_page', { title, content: 'text\n' })).toMatchObject({
      slug: 'who-what-50-1-x',
      title,
    });
    expect(filesOf(wire)).toEqual({ 'Who what 50 1 x.md': `---\ntitle: "${title}"\n---\ntext\n` });
    expect(await wire.call('read_page', { slug: 'who-what-50-1-x' })).toMatchObject({
      title,
      content: 'text\n',
    });
  });

  it('with text that begins like properties, which it has none of', async () => {
    const wire = await wireTo({});
    const content = '---\ntitle: not one\n---\ntext\n';
    await wire.call('create_page', { title: 'A', content });
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({ title: 'A', content });
    await wire.call('update_page_metadata', { slug: 'a', icon: 'x' });
    await wire.call('update_page_content', { slug: 'a', content });
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({ title: 'A', icon: 'x', content });
  });
});

describe('update_page_content', () => {
  it('replaces the text and leaves properties as they are, byte for byte', async () => {
    const head = '---\r\nicon:   🦸 # mine\r\ntags: [ a,b ]\r\n---\r\n';
    const wire = await wireTo({ 'A.md': `${head}old\r\n` });
    expect(await wire.call('update_page_content', { slug: 'a', content: 'new\r\n' })).toEqual({
      slug: 'a',
      title: 'A',
      updated: true,
    });
    expect(filesOf(wire)['A.md']).toBe(`${head}new\r\n`);
    await wire.call('update_page_content', { slug: 'a', content: '' });
    expect(filesOf(wire)['A.md']).toBe(head);
  });

  it('of a folder makes its note, which has the same slug from then on', async () => {
    const wire = await wireTo({ 'Loose/Note.md': 'n\n' });
    await wire.call('update_page_content', { slug: 'loose', content: 'about it' });
    expect(filesOf(wire)['Loose.md']).toBe('about it');
    expect(await wire.call('read_page', { slug: 'loose' })).toMatchObject({
      page_type: 'page',
      content: 'about it',
    });
    expect(slugsIn(await wire.call('get_page_tree'))).toEqual(['loose', 'note']);
  });
});

describe('links', () => {
  const FILES = {
    'Home.md':
      'a [[Plan]] b [[Work/Plan|the plan]] c [[Work/Plan#Goals]] d [[Nowhere]] e [[no-such|thing]]\n' +
      '| t |\n| - |\n| [[Work/Plan\\|x]] |\n\n![[Plan]] [[#Here]] [[pic.png|p]] [md](Plan.md) `[[Plan]]` [[Plan]]\n',
    'Plan.md': 'p\n',
    'Work/Plan.md': '# Goals\n',
    'pic.png': '',
  };

  it('that are written back as they were read stay as they are, byte for byte', async () => {
    const wire = await wireTo(FILES);
    const content = await contentOf(wire, 'home');
    expect(content).toBe(
      'a [[Plan|plan]] b [[the plan|plan-2]] c [[Plan|plan-2#Goals]] d [[Nowhere|nowhere]] e [[thing|no-such]]\n' +
        '| t |\n| - |\n| [[x\\|plan-2]] |\n\n![[Plan]] [[#Here]] [[pic.png|p]] [md](Plan.md) `[[Plan]]` [[Plan|plan]]\n',
    );
    await wire.call('update_page_content', { slug: 'home', content: `${content}more\n` });
    expect(filesOf(wire)['Home.md']).toBe(`${FILES['Home.md']}more\n`);
  });

  const SPELLINGS: readonly (readonly [given: string, written: string])[] = [
    ['[[Plan|plan]]', '[[Plan]]'],
    ['[[my plan|plan]]', '[[Plan|my plan]]'],
    ['[[Plan|plan-2]]', '[[Work/Plan|Plan]]'],
    ['[[Goals|plan-2#Goals]]', '[[Work/Plan#Goals|Goals]]'],
    ['| [[x\\|plan]] |', '| [[Plan\\|x]] |'],
    ['[[Brand New|brand-new]]', '[[Brand New]]'],
    ['[[soon|brand-new]]', '[[brand new|soon]]'],
    ['[[today|2026-11-29]]', '[[2026-11-29|today]]'],
    ['[[soon|brand-new#Part]]', '[[brand new#Part|soon]]'],
    // In the vault's own form already, or no links at all.
    ['[[Plan]]', '[[Plan]]'],
    ['[[Work/Plan|somewhere]]', '[[Work/Plan|somewhere]]'],
    ['[[pic.png|Picture]]', '[[pic.png|Picture]]'],
    ['![[x|plan]] `[[x|plan]]` [[#Here]]', '![[x|plan]] `[[x|plan]]` [[#Here]]'],
  ];
  describe('are written in the form of the vault', () => {
    const files = { 'Plan.md': '', 'Work/Plan.md': '# Goals\n', 'pic.png': '' };
    let wire: InklingsWire;
    beforeAll(async () => {
      wire = await openInklingsWire(files);
      await wire.call('get_page_tree');
    });
    afterAll(() => wire.close());

    it.each(SPELLINGS.map(([given, written], at) => ({ given, written, title: `New ${at}` })))(
      '$given as $written',
      async ({ given, written, title }) => {
        await wire.call('create_page', { title, content: `${given}\n` });
        expect(filesOf(wire)[`${title}.md`]).toBe(`${written}\n`);
      },
    );
  });

  it('to a page that comes later lead there', async () => {
    const wire = await wireTo({});
    await wire.call('create_page', { title: 'A', content: '[[then|later-on]] [[Later on|later-on]]' });
    expect(await wire.call('get_outgoing_links', { slug: 'a' })).toEqual([
      { slug: 'later-on', title: 'later on', resolved: false },
    ]);
    await wire.call('create_page', { title: 'Later on' });
    expect(await contentOf(wire, 'a')).toBe('[[then|later-on]] [[Later on|later-on]]');
    expect(await wire.call('get_backlinks', { slug: 'later-on' })).toEqual([{ slug: 'a', title: 'A' }]);
  });

  it.each(['create_page', 'rename_page'])('to a slug lead to its page from %s on', async (way) => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `N${at}.md`,
        `[[the hero s journey|path ${at}]] \`[[the hero s journey]]\`\n`,
      ]),
    );
    const fixed = { readOnly: false, read: { allow: [], deny: [] }, write: { allow: [], deny: ['Fixed'] } };
    const wire = await wireTo(
      {
        ...many,
        'A.md':
          '---\nsee: "[[the-hero-s-journey]]"\n---\n| [[the-hero-s-journey\\|x]] |\r\n[[The Hero’s Journey#Part]] ![[the-hero-s-journey]]\n',
        'Fixed/B.md': '[[the-hero-s-journey]]\n',
        'Other.md': '',
      },
      { vault: { rules: fixed } },
    );
    await wire.call('get_page_tree');
    const title = "The Hero's Journey";
    const made =
      way === 'create_page'
        ? await wire.call('create_page', { title })
        : await wire.call('rename_page', { slug: 'other', new_title: title });
    expect(made).toMatchObject({ slug: 'the-hero-s-journey', title });
    const files = filesOf(wire);
    for (let at = 0; at < 30; at++)
      expect(files[`N${at}.md`]).toBe(`[[${title}|path ${at}]] \`[[the hero s journey]]\`\n`);
    expect(files['A.md']).toBe(
      `---\nsee: "[[the-hero-s-journey]]"\n---\n| [[${title}\\|x]] |\r\n[[${title}#Part]] ![[the-hero-s-journey]]\n`,
    );
    expect(files['Fixed/B.md']).toBe('[[the-hero-s-journey]]\n');
    expect(await wire.call('get_backlinks', { slug: 'the-hero-s-journey' })).toHaveLength(31);
  });

  it('of any text that is read and written back stay as they are, byte for byte', async () => {
    const wire = await wireTo({ 'A.md': '', 'A/B.md': '', 'C/B.md': '', 'Long name.md': '', 'x.png': '' });
    await wire.call('get_page_tree');
    const target = fc.constantFrom(
      'A',
      'a',
      'B',
      'A/B',
      'C/B',
      'C/B.md',
      'Long name',
      'none',
      'no/where',
      'x.png',
      '',
    );
    const link = fc
      .tuple(
        fc.constantFrom('', '!'),
        target,
        fc.constantFrom('', '#H', '#^b1'),
        fc.constantFrom('', '|B', '|b', '|a|c', '\\|t', '|'),
      )
      .map(([embed, to, part, shown]) => `${embed}[[${to}${part}${shown}]]`);
    const piece = fc.oneof(
      { weight: 4, arbitrary: link },
      fc.constantFrom(
        'text ',
        '\n',
        '\r\n',
        '\n\n',
        '`',
        '```\n',
        '%%',
        '| ',
        '- ',
        '# ',
        '[m](A.md)',
        '[[',
        ']]',
        '---\n',
        '\\',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (pieces) => {
        const body = pieces.join('');
        await wire.door.vault.session.write('A/B.md', { body }, { tool: 'test' });
        const before = filesOf(wire)['A/B.md'];
        await wire.call('update_page_content', { slug: 'b', content: await contentOf(wire, 'b') });
        expect(filesOf(wire)['A/B.md']).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['SilverBullet', { 'SETTINGS.md': '', '.silverbullet.db/x': '' }, 'Sub/Plan', '[[Sub/Plan|my plan]]'],
    ['Logseq', { 'logseq/config.edn': '{}' }, 'pages/Plan', '[my plan]([[Plan]])'],
  ] as const)('are written as %s writes them', async (_name, own, place, written) => {
    const wire = await wireTo({ ...own, [`${place}.md`]: '' });
    await wire.call('get_page_tree');
    const { slug } = (await wire.call('create_page', { title: 'New', content: '- [[my plan|plan]]\n' })) as {
      slug: string;
    };
    expect(filesOf(wire)['New.md']).toBe(`- ${written}\n`);
    expect(await contentOf(wire, slug)).toBe('- [[my plan|plan]]\n');
  });
});

describe('update_page_metadata', () => {
  it('sets title and icon, takes the icon away, and leaves text, file, slug and links', async () => {
    const wire = await wireTo({ 'A.md': 'text\n', 'B.md': '[[A]]\n' });
    expect(await wire.call('update_page_metadata', { slug: 'a', title: 'New: name', icon: '🦋' })).toEqual({
      slug: 'a',
      title: 'New: name',
      icon: '🦋',
    });
    expect(filesOf(wire)).toEqual({
      'A.md': '---\ntitle: "New: name"\nicon: 🦋\n---\ntext\n',
      'B.md': '[[A]]\n',
    });
    expect(await wire.call('update_page_metadata', { slug: 'a', icon: null })).toMatchObject({ icon: null });
    expect(await wire.call('update_page_metadata', { slug: 'a', title: 'A', icon: '' })).toMatchObject({
      title: 'A',
    });
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({
      title: 'A',
      icon: null,
      content: 'text\n',
    });
  });

  it('of a folder makes its note', async () => {
    const wire = await wireTo({ 'F/x.md': '' });
    expect(await wire.call('update_page_metadata', { slug: 'f', icon: '📁' })).toMatchObject({ icon: '📁' });
    expect(filesOf(wire)['F.md']).toBe('---\nicon: 📁\n---\n');
    expect(await wire.call('read_page', { slug: 'f' })).toMatchObject({ title: 'F', icon: '📁' });
  });
});

describe('move_page', () => {
  const TREE = {
    'A.md': '[[B]]\n',
    'A/B.md': 'b [[C]]\n',
    'A/B/C.md': '',
    'D.md': '[[A/B]]\n',
    'E/x.md': '',
  };

  it('takes the children along, keeps slugs, and links lead where they led', async () => {
    const wire = await wireTo(TREE);
    expect(await wire.call('move_page', { slug: 'b', new_parent_slug: 'd' })).toEqual({
      slug: 'b',
      title: 'B',
      parent_slug: 'd',
    });
    expect(filesOf(wire)).toEqual({
      'A.md': '[[B]]\n',
      'D/B.md': 'b [[C]]\n',
      'D/B/C.md': '',
      'D.md': '[[D/B]]\n',
      'E/x.md': '',
    });
    expect(await wire.call('read_page', { slug: 'c' })).toMatchObject({ parent_slug: 'b' });
    expect(await wire.call('move_page', { slug: 'b', new_parent_slug: null })).toMatchObject({
      parent_slug: null,
    });
    expect(await wire.call('move_page', { slug: 'b' })).toMatchObject({ parent_slug: null });
    expect(Object.keys(filesOf(wire)).sort()).toEqual(['A.md', 'B.md', 'B/C.md', 'D.md', 'E/x.md']);
  });

  it('of a folder, and to a place where its name is taken', async () => {
    const wire = await wireTo({ ...TREE, 'D/E.md': 'another\n' });
    await wire.call('get_page_tree');
    expect(await wire.call('move_page', { slug: 'e-2', new_parent_slug: 'd' })).toMatchObject({
      parent_slug: 'd',
    });
  });

  it('beside a folder of its name that holds other files', async () => {
    const files = { 'A.md': '', 'A/pic.png': '1', 'D.md': '', 'D/A/other.png': '2', 'New/x.png': '3' };
    const wire = await wireTo(files);
    await wire.call('get_page_tree');
    expect(await wire.call('create_page', { title: 'New' })).toMatchObject({ slug: 'new' });
    await wire.call('move_page', { slug: 'a', new_parent_slug: 'd' });
    expect(Object.keys(filesOf(wire)).sort()).toEqual([
      'D.md',
      'D/A 2.md',
      'D/A 2/pic.png',
      'D/A/other.png',
      'New.md',
      'New/x.png',
    ]);
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({ title: 'A', parent_slug: 'd' });
  });

  it('keeps the title of a page that gets another file name', async () => {
    const wire = await wireTo({ 'A.md': 'one\n', 'D.md': '', 'D/A.md': 'two\n' });
    await wire.call('get_page_tree');
    await wire.call('move_page', { slug: 'a', new_parent_slug: 'd' });
    expect(filesOf(wire)).toEqual({ 'D.md': '', 'D/A.md': 'two\n', 'D/A 2.md': '---\ntitle: A\n---\none\n' });
    expect(await wire.call('read_page', { slug: 'a' })).toMatchObject({ title: 'A', content: 'one\n' });
  });
});

describe('rename_page', () => {
  it('renames file, folder and slug and rewrites every link and what it shows', async () => {
    const wire = await wireTo({
      'Old.md': 'text\n',
      'Old/Child.md': '[[Old]]\n',
      'B.md': '[[Old|Old]] [[Old|mine]] ![[Old]] [x](Old.md) [[Old/Child]]\n',
    });
    expect(await wire.call('rename_page', { slug: 'old', new_title: 'New Name' })).toEqual({
      slug: 'new-name',
      title: 'New Name',
      old_slug: 'old',
      updated_links: 6,
    });
    expect(filesOf(wire)).toEqual({
      'New Name.md': 'text\n',
      'New Name/Child.md': '[[New Name]]\n',
      'B.md': '[[New Name|New Name]] [[New Name|mine]] ![[New Name]] [x](New%20Name.md) [[New Name/Child]]\n',
    });
    expect(await wire.call('read_page', { slug: 'old' })).toMatchObject({ code: -32_002 });
    expect(await contentOf(wire, 'b')).toContain('[[New Name|new-name]] [[mine|new-name]]');
  });

  it('to what is taken, to its own name, and to what no file can have', async () => {
    const wire = await wireTo({ 'A.md': '', 'B.md': '---\ntitle: Bee\n---\n' });
    await wire.call('get_page_tree');
    expect(await wire.call('rename_page', { slug: 'a', new_title: 'A' })).toMatchObject({
      slug: 'a',
      old_slug: 'a',
    });
    expect(await wire.call('rename_page', { slug: 'a', new_title: 'B' })).toMatchObject({
      slug: 'b',
      title: 'B',
    });
    expect(filesOf(wire)).toEqual({ 'B 2.md': '---\ntitle: B\n---\n', 'B.md': '---\ntitle: Bee\n---\n' });
    expect(await wire.call('rename_page', { slug: 'bee', new_title: 'B?' })).toMatchObject({ slug: 'b-2' });
    expect(filesOf(wire)['B.md']).toBe('---\ntitle: B?\n---\n');
    expect(await wire.call('rename_page', { slug: 'b', new_title: 'a' })).toMatchObject({ slug: 'a' });
    expect(Object.keys(filesOf(wire)).sort()).toEqual(['B.md', 'a.md']);
  });

  it('links that show the title show the new one, where titles are not names of files too', async () => {
    const wire = await wireTo({
      'old.md': '---\ntitle: "Old: title"\n---\n[[old|Old: title]]\n',
      'B.md': '[[old|Old: title]] [[old|mine]] [[old]] [[old#H|Old: title]] `[[old|Old: title]]`\n',
    });
    await wire.call('get_page_tree');
    expect(await wire.call('rename_page', { slug: 'old-title', new_title: 'New: title' })).toMatchObject({
      slug: 'new-title',
      updated_links: 8,
    });
    expect(filesOf(wire)).toEqual({
      'New title.md': '---\ntitle: "New: title"\n---\n[[New title|New: title]]\n',
      'B.md':
        '[[New title|New: title]] [[New title|mine]] [[New title]] [[New title#H|New: title]] `[[old|Old: title]]`\n',
    });
    await wire.call('rename_page', { slug: 'new-title', new_title: 'Plain' });
    expect(filesOf(wire)['B.md']).toBe(
      '[[Plain]] [[Plain|mine]] [[Plain]] [[Plain#H|Plain]] `[[old|Old: title]]`\n',
    );
  });

  it('by case alone', async () => {
    const wire = await wireTo({ 'plan.md': '', 'plan/x.md': '', 'B.md': '[[plan]]\n' });
    await wire.call('rename_page', { slug: 'plan', new_title: 'PLAN' });
    expect(filesOf(wire)).toEqual({ 'PLAN.md': '', 'PLAN/x.md': '', 'B.md': '[[PLAN]]\n' });
  });
});

describe('delete_page', () => {
  it('moves a page and all below it to the trash; a slug is free again, and comes back with undo', async () => {
    const files = { 'A.md': '', 'A/B.md': '', 'A/B/C.md': '', 'A/pic.png': 'p', 'D.md': '[[B]]\n' };
    const wire = await wireTo(files);
    expect(await wire.call('delete_page', { slug: 'a' })).toEqual({
      slug: 'a',
      title: 'A',
      deleted: true,
      deleted_pages: 3,
    });
    expect(filesOf(wire)).toEqual({ 'A/pic.png': 'p', 'D.md': '[[B]]\n' });
    expect(await wire.call('read_page', { slug: 'c' })).toMatchObject({ code: -32_002 });
    const { session } = wire.door.vault;
    const [write] = (await session.history({ limit: 1 })).items;
    expect(write).toMatchObject({ tool: 'inklings/delete_page', door: 'mcp' });
    await session.undo({ tool: 'test', writeId: write?.writeId ?? 0 });
    expect(filesOf(wire)).toEqual(files);
    expect(await wire.call('read_page', { slug: 'c' })).toMatchObject({ parent_slug: 'b' });
    await wire.call('delete_page', { slug: 'c' });
    expect(await wire.call('create_page', { title: 'C' })).toMatchObject({ slug: 'c' });
  });

  it('of one page comes back with those above it', async () => {
    const files = { 'A.md': '', 'A/B.md': '', 'A/B/C.md': '' };
    const wire = await wireTo(files);
    await wire.call('get_page_tree');
    await wire.call('delete_page', { slug: 'a' });
    const { session } = wire.door.vault;
    await session.trashRestore('.trash/C.md', undefined, { tool: 'test', withAncestors: true });
    expect(filesOf(wire)).toEqual(files);
    expect(slugsIn(await wire.call('get_page_tree'))).toEqual(['a', 'b', 'c']);
  });

  it('of a folder without a note', async () => {
    const wire = await wireTo({ 'F/x.md': '', 'F/G/y.md': '' });
    expect(await wire.call('delete_page', { slug: 'f' })).toMatchObject({ deleted: true, deleted_pages: 2 });
    expect(filesOf(wire)).toEqual({});
    expect(await wire.call('delete_page', { slug: 'f' })).toMatchObject({ code: -32_002 });
    expect(await wire.call('create_page', { title: 'F' })).toMatchObject({ slug: 'f' });
  });
});

describe('slugs', () => {
  it('stay with pages that other programs and doors leave alone or move with Lectern', async () => {
    const wire = await wireTo({ 'A/Plan.md': '', 'B/Plan.md': '' });
    expect(slugsIn(await wire.call('get_page_tree'))).toEqual(['a', 'plan', 'b', 'plan-2']);
    await wire.door.vault.session.move('A/Plan.md', 'C/Other.md', { tool: 'test' });
    expect(await wire.call('read_page', { slug: 'plan' })).toMatchObject({
      title: 'Other',
      parent_slug: 'c',
    });
    expect(await wire.call('read_page', { slug: 'plan-2' })).toMatchObject({
      title: 'Plan',
      parent_slug: 'b',
    });
    const { folder } = wire.door.vault;
    renameSync(join(folder, 'C/Other.md'), join(folder, 'C/Elsewhere.md'));
    rmSync(join(folder, 'B'), { recursive: true });
    writeFileSync(join(folder, 'Plan.md'), 'new\n');
    await wire.door.vault.session.reindex(() => {}, new AbortController().signal);
    expect(slugsIn(await wire.call('get_page_tree'))).toEqual(['c', 'elsewhere', 'plan']);
  });

  it('page ids never change', async () => {
    const wire = await wireTo({ 'A.md': '' });
    const { page_id: id } = (await wire.call('read_page', { slug: 'a' })) as { page_id: string };
    await wire.call('rename_page', { slug: 'a', new_title: 'B' });
    expect(await wire.call('read_page', { slug: 'b' })).toMatchObject({ page_id: id });
  });
});

describe('what is not allowed, or goes wrong', () => {
  it('a token that only reads is offered the tools that read', async () => {
    const wire = await wireTo({ 'A.md': '' }, {}, ['vault:read']);
    const { result } = await wire.ask('tools/list');
    expect((result as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual([
      'search',
      'get_page_tree',
      'get_backlinks',
      'get_outgoing_links',
      'read_page',
    ]);
    expect(await wire.call('delete_page', { slug: 'a' })).toMatchObject({
      code: -32_600,
      message: 'Permission denied: delete_page is not allowed here',
    });
    expect(filesOf(wire)).toEqual({ 'A.md': '' });
  });

  it('a page that rules protect cannot be changed: an invalid request', async () => {
    const rules = { readOnly: false, read: { allow: [], deny: [] }, write: { allow: [], deny: ['Fixed'] } };
    const wire = await wireTo({ 'Fixed/A.md': 'a\n', 'B.md': '' }, { vault: { rules } });
    await wire.call('get_page_tree');
    for (const [name, given] of [
      ['update_page_content', { slug: 'a', content: 'x' }],
      ['update_page_metadata', { slug: 'a', icon: 'x' }],
      ['rename_page', { slug: 'a', new_title: 'X' }],
      ['move_page', { slug: 'a' }],
      ['delete_page', { slug: 'a' }],
      ['delete_page', { slug: 'fixed' }],
      ['create_page', { title: 'X', parent_slug: 'fixed' }],
    ] as const)
      expect(await wire.call(name, given)).toMatchObject({ code: -32_600 });
    expect(filesOf(wire)).toEqual({ 'Fixed/A.md': 'a\n', 'B.md': '' });
  });

  it('a hidden page is not there, in no list, no slug and no link', async () => {
    const rules = { readOnly: false, read: { allow: [], deny: ['Secret'] }, write: { allow: [], deny: [] } };
    const wire = await wireTo(
      { 'Secret/Plan.md': '[[Open]]\n', 'Plan.md': '', 'Open.md': '[[Secret/Plan]]\n' },
      { vault: { rules } },
    );
    expect(slugsIn(await wire.call('get_page_tree'))).toEqual(['open', 'plan']);
    expect(await wire.call('get_backlinks', { slug: 'open' })).toEqual([]);
    expect(await contentOf(wire, 'open')).toBe('[[Plan|plan]]\n');
    expect(await wire.call('read_page', { slug: 'secret' })).toMatchObject({ code: -32_002 });
    expect(await wire.call('search', { query: 'Secret' })).toHaveLength(1);
  });

  it('a token for a part of the vault has slugs that tell of nothing else', async () => {
    const files = { 'Secret/Plan.md': '', 'Secret/Plan/Child.md': '', 'Work/Plan.md': '[[Secret/Plan]]\n' };
    const owner = await wireTo(files);
    expect(slugsIn(await owner.call('get_page_tree'))).toEqual(['secret', 'plan', 'child', 'work', 'plan-2']);
    const part = await wireTo(files, {}, ['vault:write', 'path:!Secret']);
    await part.door.vault.session
      .ids({ name: 'inklings slug', reusable: true, make: () => 'plan' })
      .of(['Secret/Plan.md']);
    expect(slugsIn(await part.call('get_page_tree'))).toEqual(['work', 'plan']);
    expect(await contentOf(part, 'plan')).toBe('[[Plan|plan]]\n');
    expect(await part.call('read_page', { slug: 'child' })).toMatchObject({ code: -32_002 });
    expect(await part.call('create_page', { title: 'Child' })).toMatchObject({ slug: 'child' });
    expect(await part.call('create_page', { title: 'Secret' })).toMatchObject({ slug: 'secret' });
  });

  it('a page that somebody else changes meanwhile is not overwritten', async () => {
    const wire = await wireTo({ 'A.md': 'a\n' });
    await wire.call('get_page_tree');
    const [one, other] = await Promise.all([
      wire.call('update_page_content', { slug: 'a', content: 'one\n' }),
      wire.door.vault.session.write('A.md', { body: 'two\n' }, { tool: 'test' }),
    ]);
    expect(other).toMatchObject({ path: 'A.md' });
    const isRefused = (one as { code?: number }).code !== undefined;
    if (isRefused)
      expect(one).toMatchObject({
        code: -32_603,
        message: 'The page was changed meanwhile; nothing was written.',
      });
    expect((await wire.door.vault.session.history({ limit: 9 })).total).toBe(isRefused ? 1 : 2);
  });

  it('two clients that make a page of one title at once both have one', async () => {
    const wire = await wireTo({});
    const made = await Promise.all([1, 2, 3].map(() => wire.call('create_page', { title: 'Same' })));
    expect(made.map((page) => (page as { slug: string }).slug).sort()).toEqual(['same', 'same-2', 'same-3']);
    expect(Object.keys(filesOf(wire))).toHaveLength(3);
  });
});
