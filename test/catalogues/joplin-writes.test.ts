import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hiding } from './hiding.ts';
import { type JoplinWire, openJoplinWire, type Payload, WRITE_TOOLS } from './joplin-wire.ts';

const open: JoplinWire[] = [];
afterEach(async () => {
  for (const wire of open.splice(0)) await wire.close();
});

async function wireOn(
  files: Record<string, string>,
  options?: Parameters<typeof openJoplinWire>[1],
): Promise<JoplinWire> {
  const wire = await openJoplinWire(files, options);
  open.push(wire);
  return wire;
}

const front = (title: string, more = '') =>
  `---\ntitle: ${title}\nupdated: 2024-03-01 10:00:00Z\ncreated: 2023-01-05 08:00:00Z\n${more}---\n\n`;
const NOTE = { 'Work/Plan.md': `${front('Plan', 'tags:\n  - work\n')}One.\nTwo.\n` };

/** One vault for everything that is refused: nothing in it is to change. */
let untouched: JoplinWire;
beforeAll(async () => {
  untouched = await openJoplinWire(NOTE);
});
afterAll(async () => {
  expect(untouched.door.vault.files()).toEqual(NOTE);
  await untouched.close();
});

async function idOf(wire: JoplinWire, title: string): Promise<string> {
  const { results } = await wire.call('search_notes', { query: `title:"${title}"` });
  return results[0]?.id;
}
const notebook = async (wire: JoplinWire, title: string): Promise<string> =>
  (await wire.call('list_notebooks')).notebooks.find((one: Payload) => one.title === title)?.id;
const bodyOf = async (wire: JoplinWire, id: string): Promise<string> =>
  (await wire.call('read_note', { id })).body;

/** Times that change with every run. */
const timeless = (text: string | undefined) =>
  text?.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, (time) => (time < '2025' ? time : 'NOW'));

describe('create_note', () => {
  it('writes the form of the export, and answers id, title and notebook', async () => {
    const wire = await wireOn(NOTE);
    const before = Date.now();
    const made = await wire.call('create_note', {
      title: 'New note',
      body: 'Hello.\n',
      notebook_id: await notebook(wire, 'Work'),
    });
    expect(Object.keys(made)).toEqual(['id', 'title', 'notebook_id']);
    expect(made).toMatchObject({ title: 'New note', notebook_id: await notebook(wire, 'Work') });
    expect(timeless(wire.door.vault.file('Work/New note.md'))).toBe(
      '---\ntitle: New note\nupdated: NOW\ncreated: NOW\n---\n\nHello.\n',
    );
    const note = await wire.call('read_note', { id: made.id });
    expect(note).toMatchObject({ title: 'New note', body: 'Hello.\n', is_todo: false });
    expect(note.created_time).toBeGreaterThan(before - 2000);
  });

  it('a to-do, and nothing but a title', async () => {
    const wire = await wireOn(NOTE);
    const todo = await wire.call('create_note', { title: 'Todo', is_todo: true });
    expect(timeless(wire.door.vault.file('Work/Todo.md'))).toBe(
      '---\ntitle: Todo\nupdated: NOW\ncreated: NOW\ncompleted?: no\n---\n\n',
    );
    expect(await wire.call('read_note', { id: todo.id })).toMatchObject({ is_todo: true, body: '' });
  });

  it.each<[string, string, string]>([
    ['Plan', 'Work/Plan-1.md', 'title: Plan'],
    ['a/b: c?', 'Work/a_b_ c_.md', "title: 'a/b: c?'"],
    ['.hidden', 'Work/_hidden.md', 'title: .hidden'],
    ['CON', 'Work/___.md', 'title: CON'],
    ['  spaces  ', 'Work/spaces.md', "title: '  spaces  '"],
    ['???', 'Work/___.md', "title: '???'"],
    ['日本語', 'Work/日本語.md', 'title: 日本語'],
    ["it's: so", 'Work/it_s_ so.md', "title: 'it''s: so'"],
    ['- dash', 'Work/- dash.md', "title: '- dash'"],
    ['../../out', 'Work/_._out.md', 'title: ../../out'],
    ['x'.repeat(300), `Work/${'x'.repeat(100)}.md`, `title: ${'x'.repeat(300)}`],
  ])('title %j becomes the file %j, and stays the title', async (title, path, line) => {
    const wire = await wireOn(NOTE);
    const { id } = await wire.call('create_note', { title, body: '---\nno: property\n---\n' });
    const paths = Object.keys(wire.door.vault.files()).filter((one) => one !== 'Work/Plan.md');
    if (path.includes('_._out')) expect(paths[0]).toMatch(/^Work\/[^/]+\.md$/);
    else expect(paths).toEqual([path]);
    expect(wire.door.vault.file(paths[0] ?? '')?.split('\n')[1]).toBe(line);
    expect(await wire.call('read_note', { id })).toMatchObject({
      title: title.trim(),
      body: '---\nno: property\n---\n',
    });
  });

  it('goes into the notebook that was made last, and nowhere when there is none', async () => {
    const wire = await wireOn({ 'Loose.md': 'x' });
    expect(await wire.refused('create_note', { title: 'x' })).toBe(
      'No notebook available. Create one first or pass notebook_id.',
    );
    for (const title of ['First', 'Second']) await wire.call('create_notebook', { title });
    const { notebook_id } = await wire.call('create_note', { title: 'x' });
    expect(notebook_id).toBe(await notebook(wire, 'Second'));
  });

  it.each<[unknown, string]>([
    [{}, 'Missing or invalid "title" parameter'],
    [{ title: '  ' }, 'Missing or invalid "title" parameter'],
    [{ title: 7 }, 'Missing or invalid "title" parameter'],
    [{ title: 'x', is_todo: 'yes' }, '"is_todo" must be a boolean'],
    [{ title: 'x', notebook_id: 'nope' }, 'Notebook not found: nope'],
  ])('%j is refused, and nothing is written', async (given, message) => {
    const wire = untouched;
    expect(await wire.refused('create_note', given)).toBe(message);
    expect(wire.door.vault.files()).toEqual(NOTE);
  });

  it('the id of a note is no notebook', async () => {
    const wire = untouched;
    const id = await idOf(wire, 'Plan');
    expect(await wire.refused('create_note', { title: 'x', notebook_id: id })).toBe(
      `Notebook not found: ${id}`,
    );
  });
});

describe('update_note', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['append, without a line break', { append: 'Three.' }, 'One.\nTwo.\nThree.'],
    ['prepend, without a line break', { prepend: 'Zero. ' }, 'Zero. One.\nTwo.\n'],
    ['both', { append: 'Z', prepend: 'A' }, 'AOne.\nTwo.\nZ'],
    ['replace', { replace_text: { find: 'Two', replace: '2' } }, 'One.\n2.\n'],
    ['replace with nothing', { replace_text: { find: '\nTwo.', replace: '' } }, 'One.\n'],
    [
      'replace in what was added',
      { append: 'New', replace_text: { find: '\nNew', replace: '!' } },
      'One.\nTwo.!',
    ],
    ['replace over the seam', { prepend: 'ab', replace_text: { find: 'bOne', replace: '-' } }, 'a-.\nTwo.\n'],
    ['dollar signs are text', { replace_text: { find: 'One', replace: '$& $1' } }, '$& $1.\nTwo.\n'],
    [
      'body overrides the rest',
      { body: 'All', append: 'x', prepend: 'y', replace_text: { find: 'nope', replace: '' } },
      'All',
    ],
    ['an empty body', { body: '' }, ''],
  ])('%s', async (_, change, body) => {
    const wire = await wireOn(NOTE);
    const id = await idOf(wire, 'Plan');
    const answer = await wire.call('update_note', { id, ...change });
    expect(Object.keys(answer)).toEqual(['id', 'updated_time']);
    expect(answer.id).toBe(id);
    expect(Date.now() - answer.updated_time).toBeLessThan(60_000);
    expect(timeless(wire.door.vault.file('Work/Plan.md'))).toBe(
      `${front('Plan', 'tags:\n  - work\n').replace('2024-03-01 10:00:00Z', 'NOW')}${body}`,
    );
    expect(await bodyOf(wire, id)).toBe(body);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ replace_text: { find: '', replace: 'x' } }, '"replace_text.find" must not be empty'],
    [{ replace_text: { find: 'Nowhere', replace: 'x' } }, 'replace_text: "find" string not found in body'],
    [
      { replace_text: { find: '.\n', replace: 'x' } },
      'replace_text: "find" string appears more than once; pass more context to make it unique',
    ],
    [
      { body: undefined, append: 'aaa', replace_text: { find: 'aa', replace: 'x' } },
      'replace_text: "find" string appears more than once; pass more context to make it unique',
    ],
    [{ replace_text: 'x' }, '"replace_text" must be an object with the strings "find" and "replace"'],
    [
      { replace_text: { find: 'One' } },
      '"replace_text" must be an object with the strings "find" and "replace"',
    ],
    [{ append: 'x', notebook_id: 'nope' }, 'Notebook not found: nope'],
  ])('%j is refused, and nothing is written', async (change, message) => {
    const wire = untouched;
    expect(await wire.refused('update_note', { id: await idOf(wire, 'Plan'), title: 'New', ...change })).toBe(
      message,
    );
    expect(wire.door.vault.files()).toEqual(NOTE);
  });

  it('needs an id of a note that is there', async () => {
    const wire = untouched;
    expect(await wire.refused('update_note', { append: 'x' })).toBe('Missing "id" parameter');
    expect(await wire.refused('update_note', { id: 'x', append: 'x' })).toBe('Note not found: x');
  });

  it('a title, and with it the name of the file; links follow', async () => {
    const wire = await wireOn({ ...NOTE, 'Home/Other.md': 'See [[Plan]] and [it](../Work/Plan.md).\n' });
    const id = await idOf(wire, 'Plan');
    await wire.call('update_note', { id, title: 'Next plan' });
    expect(Object.keys(wire.door.vault.files()).sort()).toEqual(['Home/Other.md', 'Work/Next plan.md']);
    expect(wire.door.vault.file('Home/Other.md')).toBe(
      'See [[Next plan]] and [it](../Work/Next%20plan.md).\n',
    );
    expect(await wire.call('read_note', { id })).toMatchObject({ id, title: 'Next plan' });
  });

  it('a title that no file can have, and a note without front matter', async () => {
    const wire = await wireOn({ 'Work/Bare.md': 'Text.\n' });
    const id = await idOf(wire, 'Bare');
    await wire.call('update_note', { id, title: 'Fine' });
    expect(wire.door.vault.files()).toEqual({ 'Work/Fine.md': 'Text.\n' });
    await wire.call('update_note', { id, title: 'What? Why?' });
    expect(await wire.call('read_note', { id })).toMatchObject({ title: 'What? Why?', body: 'Text.\n' });
    expect(Object.keys(wire.door.vault.files())).toEqual(['Work/What_ Why_.md']);
  });

  it('to-dos are done and opened again, in the words of the export', async () => {
    const wire = await wireOn({ 'A/Milk.md': `${front('Milk', 'completed?: no\n')}Buy.` });
    const id = await idOf(wire, 'Milk');
    await wire.call('update_note', { id, todo_completed: true });
    expect(wire.door.vault.file('A/Milk.md')).toContain('\ncompleted?: yes\n');
    expect(await wire.call('read_note', { id })).toMatchObject({ is_todo: true, todo_completed: true });
    await wire.call('update_note', { id, todo_completed: false });
    expect(wire.door.vault.file('A/Milk.md')).toContain('\ncompleted?: no\n');
    await wire.call('update_note', { id, todo_completed: 'yes' });
    expect(await wire.call('read_note', { id })).toMatchObject({ todo_completed: false });
  });

  it('moves to another notebook, under another name where its own is taken', async () => {
    const wire = await wireOn({ ...NOTE, 'Home/Plan.md': `${front('Plan')}Mine.` });
    const home = await notebook(wire, 'Home');
    const { results } = await wire.call('search_notes', { query: 'notebook:Work' });
    const [{ id }] = results;
    await wire.call('update_note', { id, notebook_id: home, append: 'Moved.' });
    expect(await wire.call('read_note', { id })).toMatchObject({
      id,
      title: 'Plan',
      notebook_id: home,
      body: 'One.\nTwo.\nMoved.',
    });
    expect(Object.keys(wire.door.vault.files()).sort()).toEqual(['Home/Plan-1.md', 'Home/Plan.md']);
  });

  it('leaves every byte beside the change: line ends, comments, quotes, other properties', async () => {
    const text =
      "---\r\n# mine\r\ntitle: 'Old'   # keep\r\nodd:   [a,   b]\r\nupdated: 2024-03-01 10:00:00Z\r\n---\r\n\r\nOne.\r\nTwo.\r\n";
    const wire = await wireOn({ 'A/Old.md': text });
    const id = await idOf(wire, 'Old');
    expect(await bodyOf(wire, id)).toBe('One.\nTwo.\n');
    await wire.call('update_note', { id, replace_text: { find: 'One.\nTwo', replace: 'One.\nNew.\n2' } });
    expect(timeless(wire.door.vault.file('A/Old.md'))).toBe(
      text.replace('2024-03-01 10:00:00Z', 'NOW').replace('Two', 'New.\r\n2'),
    );
  });

  it('a call without a change is answered', async () => {
    const wire = await wireOn({ 'A/Bare.md': 'Text.' });
    const id = await idOf(wire, 'Bare');
    expect(await wire.call('update_note', { id, unknown: 1 })).toMatchObject({ id });
    expect(wire.door.vault.files()).toEqual({ 'A/Bare.md': 'Text.' });
  });

  it('many clients at once lose nothing', async () => {
    const wire = await wireOn(NOTE);
    const id = await idOf(wire, 'Plan');
    const words = Array.from({ length: 8 }, (_, at) => `<${at}>`);
    const done = await Promise.allSettled(words.map((append) => wire.call('update_note', { id, append })));
    const body = await bodyOf(wire, id);
    for (const [at, word] of words.entries())
      expect(body.split(word).length - 1).toBe(done[at]?.status === 'fulfilled' ? 1 : 0);
    expect(done.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  });
});

describe('delete_note', () => {
  it('puts the note into the trash, and is not found again until it comes back with its id', async () => {
    const wire = await wireOn(NOTE);
    const id = await idOf(wire, 'Plan');
    expect(await wire.call('delete_note', { id })).toEqual({ id, trashed: true });
    expect(wire.door.vault.files()).toEqual({});
    expect(await wire.refused('delete_note', { id })).toBe(`Note not found: ${id}`);
    expect(await wire.refused('read_note', { id })).toBe(`Note not found: ${id}`);
    expect((await wire.call('search_notes', { query: 'two' })).total).toBe(0);
    const { session } = wire.door.vault;
    const [trashed] = (await session.trashList({ limit: 1 })).items;
    await session.trashRestore(trashed?.trashPath ?? '', undefined, { tool: 'test' });
    expect(await wire.call('read_note', { id })).toMatchObject({ id, title: 'Plan' });
  });

  it('needs an id', async () => {
    const wire = untouched;
    expect(await wire.refused('delete_note', {})).toBe('Missing "id" parameter');
    expect(wire.door.vault.files()).toEqual(NOTE);
  });
});

describe('manage_tags', () => {
  it('adds and removes, by titles whatever their case', async () => {
    const wire = await wireOn({
      ...NOTE,
      'Home/Other.md': `${front('Other', 'tags:\n  - House\n')}x #inline\n`,
    });
    const note_id = await idOf(wire, 'Plan');
    const answer = await wire.call('manage_tags', {
      note_id,
      add: [' house ', 'new', '', 'NEW'],
      remove: ['Work', 'inline', 'never'],
    });
    expect(Object.keys(answer)).toEqual(['note_id', 'added', 'removed', 'tags']);
    expect(answer).toEqual({
      note_id,
      added: ['House', 'NEW'],
      removed: ['work', 'inline'],
      tags: ['House', 'NEW'],
    });
    expect(wire.door.vault.file('Work/Plan.md')).toBe(
      `${front('Plan', 'tags:\n  - House\n  - NEW\n')}One.\nTwo.\n`,
    );
  });

  it('takes any title, as Joplin does', async () => {
    const wire = await wireOn(NOTE);
    const note_id = await idOf(wire, 'Plan');
    const add = ['two words', '2024', 'a, b', 'ünï'];
    expect((await wire.call('manage_tags', { note_id, add })).tags).toEqual([
      'work',
      'two words',
      '2024',
      'a, b',
      'ünï',
    ]);
    expect((await wire.call('search_notes', { query: 'tag:"two words" tag:2024' })).total).toBe(1);
    expect((await wire.call('list_tags')).tags.map(({ title }: Payload) => title)).toEqual([
      '2024',
      'a, b',
      'two words',
      'work',
      'ünï',
    ]);
    expect((await wire.call('manage_tags', { note_id, remove: [...add, 'work'] })).tags).toEqual([]);
    expect(wire.door.vault.file('Work/Plan.md')).toBe(`${front('Plan')}One.\nTwo.\n`);
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, 'Pass at least one of "add" or "remove"'],
    [{ add: [], remove: [' '] }, 'Pass at least one of "add" or "remove"'],
    [{ add: 'x' }, '"add" must be an array of strings'],
    [{ add: ['x', 7] }, '"add" must be an array of strings'],
    [{ add: ['x'], remove: {} }, '"remove" must be an array of strings'],
    [{ note_id: '', add: ['x'] }, 'Missing "note_id" parameter'],
    [{ note_id: 'nope', add: ['x'] }, 'Note not found: nope'],
  ])('%j is refused', async (given, message) => {
    const wire = untouched;
    expect(await wire.refused('manage_tags', { note_id: await idOf(wire, 'Plan'), ...given })).toBe(message);
    expect(wire.door.vault.files()).toEqual(NOTE);
  });
});

describe('create_notebook', () => {
  it('at the top and inside another one, empty as it is', async () => {
    const wire = await wireOn(NOTE);
    const top = await wire.call('create_notebook', { title: 'New' });
    expect(top).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), title: 'New', parent_id: null });
    const inner = await wire.call('create_notebook', { title: 'Inner', parent_id: top.id });
    expect(inner).toMatchObject({ title: 'Inner', parent_id: top.id });
    const { notebooks } = await wire.call('list_notebooks');
    expect(
      notebooks.map(({ title, note_count, parent_id }: Payload) => [title, note_count, parent_id]),
    ).toEqual([
      ['New', 0, null],
      ['Inner', 0, top.id],
      ['Work', 1, null],
    ]);
    const twin = await wire.call('create_notebook', { title: 'new' });
    expect(twin.title).toBe('new-1');
    expect((await wire.call('create_notebook', { title: 'a/b:c' })).title).toBe('a_b_c');
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, 'Missing "title" parameter'],
    [{ title: ' ' }, 'Missing "title" parameter'],
    [{ title: 'x', parent_id: 'nope' }, 'Parent notebook not found: nope'],
  ])('%j is refused', async (given, message) => {
    const wire = untouched;
    expect(await wire.refused('create_notebook', given)).toBe(message);
    expect((await wire.call('list_notebooks')).notebooks).toHaveLength(1);
  });
});

describe('what the owner allows', () => {
  it('the tools that write are hidden and refused until they are granted', async () => {
    const wire = await wireOn(NOTE, { on: [] });
    const { result } = await wire.ask('tools/list');
    expect((result as Payload).tools.map(({ name }: Payload) => name)).toEqual([
      'search_notes',
      'semantic_search_notes',
      'read_note',
      'list_notebooks',
      'list_tags',
    ]);
    for (const name of WRITE_TOOLS)
      expect(await wire.refused(name, { title: 'x', id: 'x', note_id: 'x' })).toBe(
        `Tool '${name}' is disabled in Joplin settings`,
      );
    expect(wire.door.vault.files()).toEqual(NOTE);
  });

  it('one of them alone, and none for a token that may only read', async () => {
    const one = await wireOn(NOTE, { on: ['joplin/create_note'] });
    expect((await one.call('create_note', { title: 'x' })).title).toBe('x');
    expect(await one.refused('delete_note', { id: 'x' })).toBe(
      "Tool 'delete_note' is disabled in Joplin settings",
    );
    const reader = await wireOn(NOTE, { scopes: ['vault:read'] });
    expect(await reader.refused('create_note', { title: 'x' })).toBe(
      "Tool 'create_note' is disabled in Joplin settings",
    );
  });

  it('what rules hide has no id, no notebook, no tag and no hit', async () => {
    const files = { ...NOTE, 'Private/Secret.md': `${front('Secret', 'tags:\n  - hidden tag\n')}Two.\n` };
    const all = await wireOn(files);
    const secret = await idOf(all, 'Secret');
    const wire = await wireOn(files, { vault: { rules: hiding(['Private']) } });
    expect((await wire.call('list_notebooks')).notebooks.map(({ title }: Payload) => title)).toEqual([
      'Work',
    ]);
    expect((await wire.call('list_tags')).tags.map(({ title }: Payload) => title)).toEqual(['work']);
    expect((await wire.call('search_notes', { query: 'two' })).total).toBe(1);
    expect((await wire.call('search_notes', { query: 'tag:hidden*' })).total).toBe(0);
    expect(await wire.refused('read_note', { id: secret })).toBe(`Note not found: ${secret}`);
    const { removed } = await wire.call('manage_tags', {
      note_id: await idOf(wire, 'Plan'),
      remove: ['hidden tag'],
    });
    expect(removed).toEqual([]);
  });

  it('a write is journaled under the dialect and its tool', async () => {
    const wire = await wireOn(NOTE);
    await wire.call('update_note', { id: await idOf(wire, 'Plan'), append: 'x' });
    const { items } = await wire.door.vault.session.history({ limit: 1 });
    expect(items).toMatchObject([{ tool: 'joplin/update_note', door: 'mcp', paths: ['Work/Plan.md'] }]);
  });

  it('a vault that may only be read', async () => {
    const wire = await wireOn(NOTE, { vault: { rules: { ...hiding([]), readOnly: true } } });
    expect(await wire.refused('create_note', { title: 'x' })).toMatch(/reading only/);
    expect(wire.door.vault.files()).toEqual(NOTE);
  });
});

describe('ids', () => {
  it('stay through moves of every kind, and are those that front matter brings along', async () => {
    const own = 'abcdef0123456789abcdef0123456789';
    const wire = await wireOn({
      ...NOTE,
      'Work/Own.md': `---\ntitle: Own\nid: ${own}\n---\n\nMine.\n`,
      'Work/Copy.md': `---\ntitle: Copy\nid: ${own}\n---\n\nMine.\n`,
    });
    const { session } = wire.door.vault;
    const plan = await idOf(wire, 'Plan');
    const work = await notebook(wire, 'Work');
    await session.move('Work/', 'Jobs', { tool: 'test' });
    await session.move('Jobs/Plan.md', 'Jobs/Deep/Other.md', { tool: 'test' });
    expect(await wire.call('read_note', { id: plan })).toMatchObject({ id: plan, notebook_title: 'Deep' });
    expect(await notebook(wire, 'Jobs')).toBe(work);
    // Two notes claim it: it is the first one's that is asked for, and never both.
    expect(await wire.refused('read_note', { id: own })).toBe(`Note not found: ${own}`);
    const ids = [await idOf(wire, 'Own'), await idOf(wire, 'Copy')];
    expect(new Set(ids).size).toBe(2);
    expect(ids).toContain(own);
  });

  it('a note that another program removed is not found, even where another one has its name', async () => {
    const wire = await wireOn({ ...NOTE, 'Home/Plan.md': `${front('Plan')}Another.` });
    const { results } = await wire.call('search_notes', { query: 'notebook:Work' });
    const [{ id }] = results;
    rmSync(join(wire.door.vault.folder, 'Work/Plan.md'));
    for (const name of ['read_note', 'update_note', 'delete_note'])
      expect(await wire.refused(name, { id })).toBe(`Note not found: ${id}`);
    expect(Object.keys(wire.door.vault.files())).toEqual(['Home/Plan.md']);
  });
});
