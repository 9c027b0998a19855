import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openJoplinStore } from '../src/stores/joplin/joplin-store.ts';
import type { VaultChange } from '../src/vault/events.ts';
import { hasJoplin, type Joplin, startJoplin } from './joplin/joplin.ts';
import { race, raceWords, seededRandom } from './support/joplin-race.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** A vault whose notes live in a real Joplin, and another program that changes them by the Data API. */

const FILES = {
  'Sea/Projects/Harbour.md': '# Harbour\n\nThe crane waits for [[Tide table]].\n',
  'Sea/Tide table.md': '# Tides\n\nSlack water, see [[Harbour]]. #reference\n',
};
const tool = 'test';

let joplin: Joplin;
let vault: TestVault | undefined;
beforeAll(async () => {
  if (!hasJoplin) return;
  joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());
afterEach(async () => {
  if (!hasJoplin) return;
  await vault?.close();
  if (vault) discard(vault);
  vault = undefined;
  for (const { id } of await all<{ id: string }>('folders'))
    await joplin.call('DELETE', `folders/${id}?permanent=1`);
});

async function all<T>(path: string): Promise<readonly T[]> {
  return (await joplin.call<{ items: readonly T[] }>('GET', path)).items;
}

async function served(files: Record<string, string> = FILES) {
  await joplin.seed(files);
  const { url, token } = joplin;
  vault = await openTestVault({}, { stores: async () => openJoplinStore({ url, token: () => token }) });
  return { session: vault.session };
}

async function noteNamed(title: string) {
  type Row = { id: string; title: string; body: string; parent_id: string; is_todo: number };
  const notes = await all<Row>('notes?fields=id,title,body,parent_id,is_todo');
  return notes.find((note) => note.title === title);
}

describe.skipIf(!hasJoplin)('a vault in Joplin', () => {
  it('is searched, linked and edited like any other', async () => {
    const { session } = await served();
    const found = await session.search({ query: 'crane', mode: 'lexical', filter: {}, limit: 5 });
    expect(found.items.map(({ path }) => path)).toEqual(['Sea/Projects/Harbour.md']);
    const links = await session.backlinks('Sea/Tide table.md', { limit: 5 });
    expect(links.items.map(({ source }) => source)).toEqual(['Sea/Projects/Harbour.md']);
    const { etag } = await session.open('Sea/Tide table.md');
    const change = () =>
      session.patch('Sea/Tide table.md', [{ op: 'append_body', markdown: 'More.' }], { tool, ifMatch: etag });
    await change();
    expect((await noteNamed('Tide table'))?.body).toBe(`${FILES['Sea/Tide table.md']}More.\n`);
    await expect(change()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('moves a note with its links, and back, under the same id', async () => {
    const { session } = await served();
    const id = (await noteNamed('Tide table'))?.id;
    const moved = await session.move('Sea/Tide table.md', 'Coast/Tides.md', { tool });
    expect((await noteNamed('Harbour'))?.body).toContain('[[Tides]]');
    expect((await noteNamed('Tides'))?.id).toBe(id);
    await session.undo({ tool, writeId: moved.writeId });
    expect((await noteNamed('Tide table'))?.id).toBe(id);
    expect((await noteNamed('Harbour'))?.body).toBe(FILES['Sea/Projects/Harbour.md']);
    expect((await all<{ title: string }>('folders')).map(({ title }) => title).sort()).toEqual([
      'Projects',
      'Sea',
    ]);
  });

  it('keeps tags and todo state in Joplin: conditional, journaled, searched by, and undone', async () => {
    const { session } = await served();
    await joplin.call('POST', 'tags', { title: 'Boat' });
    const note = await noteNamed('Tide table');
    const { etag } = await session.open('Sea/Tide table.md');
    const facts = { tags: ['sea', 'boat', 'Sea'], todo: { done: false } };
    const set = await session.setFacts('Sea/Tide table.md', facts, { tool, ifMatch: etag });
    expect(set.facts).toMatchObject({ tags: ['Boat', 'sea'], todo: { done: false } });
    expect((await session.open('Sea/Tide table.md')).etag).toBe(set.etag);
    const titles = (await all<{ title: string }>(`notes/${note?.id}/tags`)).map(({ title }) => title);
    expect(titles.sort()).toEqual(['Boat', 'sea']);
    expect((await noteNamed('Tide table'))?.is_todo).toBe(1);
    expect((await session.tagNotes('sea', { limit: 5 })).items.map(({ path }) => path)).toEqual([
      'Sea/Tide table.md',
    ]);
    await session.undo({ tool, writeId: set.writeId });
    expect(await all(`notes/${note?.id}/tags`)).toEqual([]);
    expect((await noteNamed('Tide table'))?.is_todo).toBe(0);
  });

  it('hears of what is written, tagged, renamed and deleted in Joplin', async () => {
    const { session } = await served();
    const seen: VaultChange[] = [];
    const stop = session.watch((changes) => seen.push(...changes));
    const sea = (await all<{ id: string; title: string }>('folders')).find(({ title }) => title === 'Sea');
    await joplin.call('POST', 'notes', { title: 'Elsewhere', body: 'A lighthouse.', parent_id: sea?.id });
    const search = async (query: string) =>
      (await session.search({ query, mode: 'lexical', filter: {}, limit: 5 })).items.map(({ path }) => path);
    const soon = { timeout: 15_000 };
    await expect.poll(() => search('lighthouse'), soon).toEqual(['Sea/Elsewhere.md']);
    const made = await noteNamed('Elsewhere');
    const tag = await joplin.call<{ id: string }>('POST', 'tags', { title: 'light' });
    await joplin.call('POST', `tags/${tag.id}/notes`, { id: made?.id });
    const tagged = async () => (await session.tagNotes('light', { limit: 5 })).items.map(({ path }) => path);
    await expect.poll(tagged, soon).toEqual(['Sea/Elsewhere.md']);
    await joplin.call('PUT', `folders/${sea?.id}`, { title: 'Ocean' });
    await expect.poll(() => search('lighthouse'), soon).toEqual(['Ocean/Elsewhere.md']);
    await joplin.call('DELETE', `notes/${made?.id}`);
    await expect.poll(() => search('lighthouse'), soon).toEqual([]);
    expect(seen.map(({ path }) => path)).toContain('Ocean/Elsewhere.md');
    stop();
  });

  it('answers from the index while Joplin is away, changes nothing, and goes on when it is back', async () => {
    const { session } = await served();
    await joplin.kill();
    const append = () => session.patch('Sea/Tide table.md', [{ op: 'append_body', markdown: 'x' }], { tool });
    await expect(append()).rejects.toMatchObject({
      code: 'unavailable',
      next: expect.stringContaining('Start Joplin'),
    });
    const found = await session.search({ query: 'crane', mode: 'lexical', filter: {}, limit: 5 });
    expect(found.items.map(({ path }) => path)).toEqual(['Sea/Projects/Harbour.md']);
    await joplin.restart();
    await append();
    expect((await noteNamed('Tide table'))?.body).toMatch(/x\n$/);
  });

  it('keeps two notes of one title apart, and titles that no path can hold', async () => {
    const { session } = await served({ 'Inbox/Start.md': 'Start.' });
    const [inbox] = await all<{ id: string }>('folders');
    for (const title of ['Plan', 'Plan', 'A/B: 50%', '', '.hidden'])
      await joplin.call('POST', 'notes', { title, body: `about ${title}`, parent_id: inbox?.id });
    const listed = async () =>
      (await session.list({}, 'path', { limit: 20 })).items.map(({ path }) => path).sort();
    await expect.poll(async () => (await listed()).length, { timeout: 15_000 }).toBe(6);
    const paths = await listed();
    expect(paths).toContain('Inbox/Plan.md');
    expect(paths.filter((path) => /^Inbox\/Plan \([0-9a-f]{8}\)\.md$/.test(path))).toHaveLength(1);
    expect(paths).toContain('Inbox/A\u2215B: 50%.md');
    const { etag } = await session.open('Inbox/A\u2215B: 50%.md');
    await session.patch('Inbox/A\u2215B: 50%.md', [{ op: 'append_body', markdown: 'more' }], {
      tool,
      ifMatch: etag,
    });
    expect((await noteNamed('A/B: 50%'))?.body).toBe('about A/B: 50%\nmore\n');
  });
});

it.skipIf(!hasJoplin)(
  'with another program at the same notes loses nothing but what its last look could not see',
  async () => {
    // A slice of test/long/joplin-race.test.ts.
    const report = await race(joplin, 2_000, seededRandom(1));
    console.log(raceWords(report));
    expect(report.lecternLost).toEqual([]);
    expect(report.lectern).toBeGreaterThan(10);
    expect(report.other).toBeGreaterThan(10);
    // The window is documented: a few milliseconds of each write.
    expect(report.otherLost.length).toBeLessThan(report.other * 0.15);
  },
);
