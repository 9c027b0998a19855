import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openJoplinStore } from '../../src/stores/joplin/joplin-store.ts';
import { hasJoplin, type Joplin, startJoplin } from '../joplin/joplin.ts';
import { openJoplinWire, type Payload } from './joplin-wire.ts';

/** The tools of Joplin's MCP server over notes that live in a real Joplin. */

let joplin: Joplin;
beforeAll(async () => {
  if (hasJoplin) joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());

describe.skipIf(!hasJoplin)('the dialect over a running Joplin', () => {
  it('reads and edits its notes under their own ids, and writes nothing into a text that belongs beside it', async () => {
    const folder = await joplin.call<{ id: string }>('POST', 'folders', { title: 'Work' });
    const todo = await joplin.call<{ id: string }>('POST', 'notes', {
      parent_id: folder.id,
      title: 'Milk',
      body: 'Buy milk.\n',
      is_todo: 1,
      tags: 'errands',
    });
    const { url, token } = joplin;
    const wire = await openJoplinWire(
      {},
      { vault: { stores: async () => openJoplinStore({ url, token: () => token }) } },
    );
    try {
      const { results } = await wire.call('search_notes', { query: 'milk' });
      expect(results).toMatchObject([{ id: todo.id, title: 'Milk' }]);
      expect(await wire.call('read_note', { id: todo.id })).toMatchObject({
        body: 'Buy milk.\n',
        is_todo: true,
        todo_completed: false,
        tags: ['errands'],
        notebook_title: 'Work',
      });
      await wire.call('update_note', { id: todo.id, append: 'And bread.\n', title: 'Shopping' });
      const made = await wire.call('create_note', { title: 'New', body: 'Text.\n' });
      const rows = await joplin.call<{ items: Payload[] }>('GET', 'notes?fields=id,title,body,is_todo');
      expect(rows.items.map(({ title, body, is_todo }) => [title, body, is_todo]).sort()).toEqual([
        ['New', 'Text.\n', 0],
        ['Shopping', 'Buy milk.\nAnd bread.\n', 1],
      ]);
      expect(rows.items.map(({ id }) => id)).toContain(made.id);
      await wire.call('update_note', { id: todo.id, todo_completed: true, title: 'Shopping list' });
      const other = await wire.call('create_note', { title: 'Call', is_todo: true });
      const { tags } = await wire.call('manage_tags', {
        note_id: todo.id,
        add: ['shop'],
        remove: ['errands'],
      });
      expect(tags).toEqual(['shop']);
      expect(await wire.call('read_note', { id: todo.id })).toMatchObject({
        title: 'Shopping list',
        body: 'Buy milk.\nAnd bread.\n',
        todo_completed: true,
        tags: ['shop'],
      });
      expect(await joplin.call('GET', `notes/${other.id}?fields=title,body,is_todo`)).toMatchObject({
        title: 'Call',
        body: '',
        is_todo: 1,
      });
      const found = await wire.call('search_notes', { query: 'type:todo iscompleted:0' });
      expect(found.results.map(({ title }: Payload) => title)).toEqual(['Call']);
      // A tag of several words is taken away and given beside others.
      await wire.call('manage_tags', { note_id: todo.id, add: ['two words', 'more'] });
      const kept = await wire.call('manage_tags', { note_id: todo.id, remove: ['two words'] });
      expect([...kept.tags].sort()).toEqual(['more', 'shop']);
      expect(await wire.call('delete_note', { id: made.id })).toEqual({ id: made.id, trashed: true });
    } finally {
      await wire.close();
    }
  }, 60_000);
});
