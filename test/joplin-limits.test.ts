import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openJoplinStore } from '../src/stores/joplin/joplin-store.ts';
import { hasJoplin, type Joplin, startJoplin } from './joplin/joplin.ts';
import { answerOf } from './support/run-operation.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** What is large, many, deep, twice there, thrown away, in conflict or encrypted in a real Joplin. */

interface Row {
  readonly id: string;
  readonly title: string;
}

let joplin: Joplin;
let vault: TestVault | undefined;
beforeAll(async () => {
  if (hasJoplin) joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());
afterEach(async () => {
  await vault?.close();
  if (vault) discard(vault);
  vault = undefined;
  if (!hasJoplin) return;
  // Tags without a note stay: nobody is told of them, and Joplin takes long to delete hundreds.
  for (const { id } of await all<Row>('folders')) await joplin.call('DELETE', `folders/${id}?permanent=1`);
});

const all = <T>(path: string) => joplin.all<T>(path);

async function served(files: Record<string, string>): Promise<TestVault['session']> {
  await joplin.seed(files);
  const { url, token } = joplin;
  vault = await openTestVault({}, { stores: async () => openJoplinStore({ url, token: () => token }) });
  return vault.session;
}

const idOf = async (title: string) =>
  (await all<Row>('notes?fields=id,title')).find((row) => row.title === title)?.id ?? '';
const bodyOf = async (title: string) =>
  (await joplin.call<{ body: string }>('GET', `notes/${await idOf(title)}?fields=body`)).body;
const tool = 'test';
const soon = { timeout: 30_000 };

/** Notes with twenty tags each: 50 in the campaigns (`npm run test:long`), where 1,000 tags take some three minutes. */
const TAGGED = process.env.LECTERN_CAMPAIGN ? 50 : 8;

describe.skipIf(!hasJoplin)('a vault in Joplin', () => {
  it('has a note of 2 MB, found, read in parts and changed in one place', async () => {
    const lines = Array.from(
      { length: 40_000 },
      (_, at) => `Line ${at} of a very long note, with ünïcode.\n`,
    );
    const text = `# Long\n\n${lines.join('')}\n## Last\n\nThe lighthouse.\n`;
    expect(Buffer.byteLength(text)).toBeGreaterThan(1_900_000);
    const session = await served({ 'Sea/Long.md': text });
    const found = await session.search({ query: 'lighthouse', mode: 'lexical', filter: {}, limit: 5 });
    expect(found.items.map(({ path }) => path)).toEqual(['Sea/Long.md']);
    const { output } = await answerOf(session, 'note_read', { path: 'Sea/Long.md', heading: 'Last' });
    expect(output.body).toContain('The lighthouse.');
    const before = await session.open('Sea/Long.md');
    const ops = [{ op: 'append_to_section' as const, heading: 'Last', markdown: 'And a buoy.' }];
    const done = await session.patch('Sea/Long.md', ops, { tool, ifMatch: before.etag });
    const now = await bodyOf('Long');
    // Not compared as a whole by `toBe`: what differs would be told on 2 MB.
    expect([now.startsWith(text), now.slice(text.length)]).toEqual([true, 'And a buoy.\n']);
    await session.undo({ tool, writeId: done.writeId });
    expect((await bodyOf('Long')) === text).toBe(true);
  }, 120_000);

  it(`has ${TAGGED * 20} tags, and finds one given in Joplin`, async () => {
    const notes = Array.from({ length: TAGGED }, (_, at) => `Tagged/${at}.md`);
    await joplin.seed(Object.fromEntries(notes.map((path) => [path, 'A note.\n'])));
    const rows = await all<Row>('notes?fields=id,title');
    for (const [at, { id }] of rows.entries()) {
      const tags = Array.from({ length: 20 }, (_, tag) => `tag ${at * 20 + tag}`);
      await joplin.call('PUT', `notes/${id}`, { tags: tags.join(',') });
    }
    const session = await served({});
    expect((await session.tags({ limit: 5 })).total).toBe(TAGGED * 20);
    const path = `Tagged/${rows[7]?.title}.md`;
    const tagged = async (tag: string) =>
      (await session.tagNotes(tag, { limit: 5 })).items.map((one) => one.path);
    expect(await tagged('tag 145')).toEqual([path]);
    const last = (await all<Row>('tags?fields=id,title')).find(
      ({ title }) => title === `tag ${TAGGED * 20 - 1}`,
    );
    await joplin.call('POST', `tags/${last?.id}/notes`, { id: rows[7]?.id });
    await expect.poll(() => tagged(`tag ${TAGGED * 20 - 1}`), { timeout: 100_000 }).toContain(path);
  }, 240_000);

  it('has 20 notebooks one in another, moved as one and back', async () => {
    const folder = Array.from({ length: 20 }, (_, at) => `Level ${at + 1}`).join('/');
    const session = await served({ [`${folder}/Deep.md`]: 'The anchor.\n', 'Other/See.md': '[[Deep]]\n' });
    const { etag } = await session.open(`${folder}/Deep.md`);
    await session.patch(`${folder}/Deep.md`, [{ op: 'append_body', markdown: 'Holds.' }], {
      tool,
      ifMatch: etag,
    });
    expect(await bodyOf('Deep')).toBe('The anchor.\nHolds.\n');
    const id = await idOf('Deep');
    const moved = await session.move('Level 1/Level 2', 'Top', { tool });
    const below = folder.replace('Level 1/Level 2', 'Top');
    expect((await session.open(`${below}/Deep.md`)).id).toBe(id);
    await session.undo({ tool, writeId: moved.writeId });
    expect((await session.open(`${folder}/Deep.md`)).id).toBe(id);
    expect(await all('folders')).toHaveLength(21);
  }, 120_000);

  it('tells notebooks of one title apart, and the notes of one title in them', async () => {
    const session = await served({ 'Work/Plan.md': 'first\n' });
    const twin = await joplin.call<Row>('POST', 'folders', { title: 'Work' });
    for (const body of ['second', 'third'])
      await joplin.call('POST', 'notes', { title: 'Plan', body, parent_id: twin.id });
    const paths = async () => (await session.list({}, 'path', { limit: 9 })).items.map(({ path }) => path);
    await expect.poll(async () => (await paths()).length, soon).toBe(3);
    const texts = new Map<string, string>();
    for (const path of await paths()) texts.set(path, (await session.open(path)).parsed.text);
    expect([...texts.values()].sort()).toEqual(['first\n', 'second', 'third']);
    expect(new Set([...texts.keys()].map((path) => path.split('/')[0])).size).toBe(2);
    for (const [path, text] of texts) {
      await session.patch(path, [{ op: 'append_body', markdown: `of ${text.trim()}` }], { tool });
      expect((await session.open(path)).parsed.text).toContain(`of ${text.trim()}`);
    }
    const bodies = (await all<{ body: string }>('notes?fields=body')).map(({ body }) => body).sort();
    expect(bodies).toEqual(['first\nof first\n', 'second\nof second\n', 'third\nof third\n']);
  }, 90_000);

  it("deletes into Joplin's trash, and brings back what was deleted here or there", async () => {
    const session = await served({
      'Sea/Here.md': 'here\n',
      'Sea/There.md': 'there\n',
      'Sea/Stays.md': 'stays\n',
    });
    const ids = { here: await idOf('Here'), there: await idOf('There') };
    await answerOf(session, 'note_delete', { path: 'Sea/Here.md' });
    expect(await joplin.call('GET', `notes/${ids.here}?fields=deleted_time`)).not.toEqual({
      deleted_time: 0,
    });
    await joplin.call('DELETE', `notes/${ids.there}`);
    const total = async () => (await session.list({}, 'path', { limit: 9 })).total;
    await expect.poll(total, soon).toBe(1);
    const { output } = await answerOf(session, 'trash_list', {});
    const trashed = output.items as { trash_path: string }[] | undefined;
    const names = JSON.stringify(output);
    for (const id of Object.values(ids)) expect(names).toContain(id);
    expect(trashed === undefined || trashed.length === 2).toBe(true);
    for (const [path, id] of [
      ['Sea/Here.md', ids.here],
      ['Coast/There.md', ids.there],
    ] as const) {
      await answerOf(session, 'trash_restore', { trash_path: `.trash/${id}`, to: path });
      expect((await session.open(path)).id).toBe(id);
    }
    expect((await session.list({}, 'path', { limit: 9 })).items.map(({ path }) => path)).toEqual([
      'Coast/There.md',
      'Sea/Here.md',
      'Sea/Stays.md',
    ]);
  }, 90_000);

  it('serves no conflict of Joplin as a note, and hides it again when it becomes one', async () => {
    const session = await served({ 'Sea/Tide.md': 'mine\n' });
    const [sea] = await all<Row>('folders');
    const twin = { title: 'Tide', body: 'the other one', parent_id: sea?.id };
    const { id: conflict } = await joplin.call<Row>('POST', 'notes', twin);
    await joplin.call('PUT', `notes/${conflict}`, { is_conflict: 1 });
    await joplin.call('POST', 'notes', { title: 'Later', body: 'a buoy', parent_id: sea?.id });
    const paths = async () => (await session.list({}, 'path', { limit: 9 })).items.map(({ path }) => path);
    await expect.poll(paths, soon).toEqual(['Sea/Later.md', 'Sea/Tide.md']);
    await joplin.call('PUT', `notes/${await idOf('Later')}`, { is_conflict: 1 });
    await expect.poll(paths, soon).toEqual(['Sea/Tide.md']);
    await expect(session.open('Sea/Later.md')).rejects.toMatchObject({ code: 'not_found' });
    expect((await session.open('Sea/Tide.md')).parsed.text).toBe('mine\n');
  }, 90_000);

  it('skips an encrypted note with the reason, and serves it once Joplin has decrypted it', async () => {
    const session = await served({ 'Sea/Secret.md': 'The treasure.\n', 'Sea/Open.md': 'No treasure.\n' });
    const id = await idOf('Secret');
    // As it comes from a sync target: the text is not there yet.
    await joplin.change(
      `UPDATE notes SET encryption_applied = 1, encryption_cipher_text = 'JED0100', body = '', updated_time = updated_time + 1 WHERE id = '${id}'`,
    );
    const paths = async () => (await session.list({}, 'path', { limit: 9 })).items.map((one) => one.path);
    await expect.poll(paths, soon).toEqual(['Sea/Open.md']);
    await expect
      .poll(async () => (await session.status()).problems.items, { timeout: 30_000 })
      .toEqual([
        expect.objectContaining({ path: 'Sea/Secret.md', message: expect.stringContaining('decrypted') }),
      ]);
    await expect(session.open('Sea/Secret.md')).rejects.toMatchObject({ code: 'not_found' });
    await joplin.change(
      `UPDATE notes SET encryption_applied = 0, encryption_cipher_text = '', body = 'The treasure.', updated_time = updated_time + 1 WHERE id = '${id}'`,
    );
    await expect.poll(paths, soon).toEqual(['Sea/Open.md', 'Sea/Secret.md']);
    expect((await session.open('Sea/Secret.md')).parsed.text).toBe('The treasure.');
    expect((await session.status()).problems.items).toEqual([]);
  }, 180_000);

  it('undo refuses when the note was changed, tagged or deleted in Joplin since', async () => {
    const session = await served({ 'Sea/A.md': 'a\n', 'Sea/B.md': 'b\n', 'Sea/C.md': 'c\n' });
    const writes = new Map<string, number>();
    for (const name of ['A', 'B', 'C']) {
      const done = await session.patch(`Sea/${name}.md`, [{ op: 'append_body', markdown: 'agent' }], {
        tool,
      });
      writes.set(name, done.writeId ?? 0);
    }
    await joplin.call('PUT', `notes/${await idOf('A')}`, { body: 'of the owner' });
    await joplin.call('PUT', `notes/${await idOf('B')}`, { tags: 'owner' });
    await joplin.call('DELETE', `notes/${await idOf('C')}`);
    for (const name of ['A', 'B', 'C'])
      await expect(session.undo({ tool, writeId: writes.get(name) ?? 0 })).rejects.toMatchObject({
        code: 'conflict',
      });
    expect(await bodyOf('A')).toBe('of the owner');
    expect(await bodyOf('B')).toBe('b\nagent\n');
  }, 90_000);
});
