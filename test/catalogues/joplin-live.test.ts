import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openJoplinStore } from '../../src/stores/joplin/joplin-store.ts';
import { hasJoplin, type Joplin, startJoplin } from '../joplin/joplin.ts';
import { INVALID_QUERIES, NOTES, QUERIES } from './joplin-vault.ts';
import { type JoplinWire, openJoplinWire } from './joplin-wire.ts';

/** The dialect over a real Joplin: its ids, its notebooks, its search, and all ten tools, beside what the app answers itself. */

let joplin: Joplin;
let wire: JoplinWire;
const ids = new Map<string, string>();

interface Row {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly parent_id: string;
  readonly is_todo: number;
  readonly todo_completed: number;
  readonly deleted_time: number;
}

const time = (text: string) => Date.parse(text.replace(' ', 'T'));
const titleOf = (path: string) => path.replace(/^.*\//, '').replace(/\.md$/, '');

/** The notes of the exported vault, as they were in the app: attachments are links by id. */
async function seed(): Promise<void> {
  await joplin.seed({
    '_resources/crane.png': 'not really a picture',
    '_resources/report.pdf': '%PDF-1.4 nothing',
  });
  const resources = await all<{ id: string; title: string }>('resources');
  const notebooks = new Map<string, string>();
  for (const [path, note] of Object.entries(NOTES)) {
    let parent_id = '';
    for (const [at, title] of path.split('/').slice(0, -1).entries()) {
      const place = path
        .split('/')
        .slice(0, at + 1)
        .join('/');
      const there = notebooks.get(place);
      const made = there ?? (await joplin.call<Row>('POST', 'folders', { title, parent_id })).id;
      notebooks.set(place, made);
      parent_id = made;
    }
    const body = resources.reduce(
      (text, { id, title }) => text.replaceAll(`../../_resources/${titleOf(title)}`, `:/${id}`),
      note.body,
    );
    const due = note.due === undefined ? 0 : time(note.due);
    const [latitude, longitude, altitude] = note.place ?? [];
    const made = await joplin.call<Row>('POST', 'notes', {
      title: titleOf(path),
      body,
      parent_id,
      user_created_time: time(note.created),
      user_updated_time: time(note.updated),
      ...(note.source && { source_url: note.source }),
      ...(note.completed && {
        is_todo: 1,
        todo_due: due,
        todo_completed: note.completed === 'yes' ? time(note.updated) : 0,
      }),
      ...(note.tags && { tags: note.tags.join(',') }),
      ...(latitude && { latitude, longitude, altitude }),
    });
    ids.set(path, made.id);
  }
}

const all = <T>(path: string) => joplin.all<T>(path);

const note = (id: string) =>
  joplin.call<Row>('GET', `notes/${id}?fields=id,title,body,parent_id,is_todo,todo_completed,deleted_time`);

beforeAll(async () => {
  if (!hasJoplin) return;
  joplin = await startJoplin();
  await seed();
  const { url, token } = joplin;
  wire = await openJoplinWire(
    {},
    { vault: { stores: async () => openJoplinStore({ url, token: () => token }) } },
  );
}, 600_000);
afterAll(async () => {
  await wire?.close();
  await joplin?.close();
});

const titlesOf = ({ results }: { results: readonly { title: string }[] }) =>
  results.map(({ title }) => title).sort();

describe.skipIf(!hasJoplin)('search over a real Joplin', () => {
  it.each(QUERIES)('%s', async (query, titles) => {
    const found = await wire.call('search_notes', { query, limit: 100 });
    expect(titlesOf(found)).toEqual([...titles].sort());
  });

  it.each(INVALID_QUERIES)('%s is an error', async (query) => {
    expect(await wire.refused('search_notes', { query })).toMatch(/^Invalid search query: /);
  });

  /** The app finds these words within others too: "road" in "roadmap", "crane" in "cranes", "the plan" in "the plants". */
  const WITHIN_WORDS: readonly string[] = [
    'road',
    'crane',
    '"the plan"',
    'road -trip',
    '-road -milk -anna',
    '-title:road road',
    '-tag:work road',
    'updated:year-200 road',
    'type:note road',
  ];

  it('finds what the app itself finds, but for what is listed here', async () => {
    // The app's index is made in the background.
    const inApp = async (query: string) =>
      (await all<Row>(`search?query=${encodeURIComponent(query)}`)).map(({ title }) => title).sort();
    await expect.poll(() => inApp('harbour'), { timeout: 30_000 }).toHaveLength(3);
    await expect.poll(() => inApp('resource:*'), { timeout: 30_000 }).toHaveLength(2);
    const differences: string[] = [];
    for (const [query, titles] of QUERIES)
      if (JSON.stringify(await inApp(query)) !== JSON.stringify([...titles].sort())) differences.push(query);
    expect(differences).toEqual(WITHIN_WORDS);
  });
});

describe.skipIf(!hasJoplin)('the ten tools over a real Joplin', () => {
  it('have the ids of the app, and its tags and notebooks', async () => {
    const id = ids.get('Home/Call the plumber.md') ?? '';
    const read = await wire.call('read_note', { id });
    expect(read).toMatchObject({
      id,
      title: 'Call the plumber',
      notebook_title: 'Home',
      notebook_id: (await note(id)).parent_id,
      is_todo: true,
      todo_completed: true,
      created_time: time('2024-01-10 07:00:00Z'),
    });
    expect([...read.tags].sort()).toEqual(['errands', 'house']);
    const own = new Map((await all<Row>('folders')).map((row) => [row.id, row.title]));
    const listed = JSON.stringify(await wire.call('list_notebooks'));
    for (const [folder, title] of own) {
      expect(listed).toContain(folder);
      expect(listed).toContain(title);
    }
    const tags = JSON.stringify(await wire.call('list_tags'));
    for (const { title } of await all<Row>('tags')) expect(tags).toContain(title);
  });

  it('write as the app keeps it', async () => {
    const home = (await note(ids.get('Home/Shopping.md') ?? '')).parent_id;
    const made = await wire.call('create_note', { title: 'Live', body: 'First.', notebook_id: home });
    expect(await note(made.id)).toMatchObject({ title: 'Live', body: 'First.', parent_id: home });
    await wire.call('update_note', { id: made.id, append: '\nSecond.' });
    expect((await note(made.id)).body).toContain('Second.');
    await wire.call('manage_tags', { note_id: made.id, add: ['errands', 'brand new'] });
    expect((await all<Row>(`notes/${made.id}/tags`)).map(({ title }) => title).sort()).toEqual([
      'brand new',
      'errands',
    ]);
    await wire.call('manage_tags', { note_id: made.id, remove: ['errands'] });
    expect((await all<Row>(`notes/${made.id}/tags`)).map(({ title }) => title)).toEqual(['brand new']);
    const plants = ids.get('Home/Water the plants.md') ?? '';
    await wire.call('update_note', { id: plants, todo_completed: true });
    expect((await note(plants)).todo_completed).toBeGreaterThan(0);
    const notebook = await wire.call('create_notebook', { title: 'Made here', parent_id: home });
    expect((await all<Row>('folders')).find(({ id }) => id === notebook.id)).toMatchObject({
      title: 'Made here',
      parent_id: home,
    });
    await wire.call('update_note', { id: made.id, notebook_id: notebook.id, title: 'Moved' });
    expect(await note(made.id)).toMatchObject({ title: 'Moved', parent_id: notebook.id });
    await wire.call('delete_note', { id: made.id });
    expect((await note(made.id)).deleted_time).toBeGreaterThan(0);
  });
});
