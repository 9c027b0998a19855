import { expect, it } from 'vitest';
import type { Store } from '../../src/stores/store.ts';
import { openObsidianWire } from './obsidian-wire.ts';

/** What each writing tool of the dialect leaves of the files, one after the other on one vault. */

const FILES = {
  '.obsidian/app.json': '{"newFileLocation":"folder","newFileFolderPath":"Inbox"}',
  '.obsidian/templates.json': '{"folder":"Templates"}',
  'Templates/Meeting.md': '---\nkind: meeting\n---\n# {{title}}\n',
  'Note.md': '---\nstatus: open   # kept\nn: 1\n---\nbody\n',
  'Windows.md': 'first\r\nsecond\r\n',
  'Links.md': '[[Note]] and [[Windows|w]]\n',
};

it('writes what the tools say and nothing else', async () => {
  const wire = await openObsidianWire(FILES);
  const note = (path = 'Note.md') => wire.vault.file(path);

  expect(await wire.call('obsidian_create_note', { name: 'Idea', content: 'x\n', open: true })).toEqual({
    path: 'Inbox/Idea.md',
    created: true,
    opened: false,
    uri: 'obsidian://open?vault=test&file=Inbox%2FIdea',
  });
  expect(await wire.call('obsidian_create_note', { name: 'Idea', overwrite: true, content: 'y\n' })).toEqual({
    path: 'Inbox/Idea.md',
    created: false,
  });
  expect(note('Inbox/Idea.md')).toBe('y\n');
  expect(
    await wire.call('obsidian_create_note', {
      name: 'Kick off',
      path: 'Work',
      template: 'Meeting',
      content: 'first\n',
      open: false,
    }),
  ).toEqual({ path: 'Work/Kick off.md', created: true, opened: false });
  expect(note('Work/Kick off.md')).toBe('---\nkind: meeting\n---\n# Kick off\nfirst\n');
  expect(await wire.call('obsidian_create_note', { name: 'Z', template: 'None' })).toEqual({
    code: -32_003,
    message: 'Template not found: None',
    data: { errorCode: 'FILE_NOT_FOUND' },
  });

  const start = '---\nstatus: open   # kept\nn: 1\n---\n';
  expect(await wire.call('obsidian_append_note', { name: 'Note', content: 'end' })).toEqual({
    path: 'Note.md',
    appended: true,
  });
  expect(note()).toBe(`${start}body\nend\n`);
  await wire.call('obsidian_append_note', { name: 'Note', content: '!', inline: true });
  expect(note()).toBe(`${start}body\nend!\n`);
  expect(await wire.call('obsidian_prepend_note', { name: 'Note', content: 'top' })).toEqual({
    path: 'Note.md',
    prepended: true,
  });
  expect(note()).toBe(`${start}top\nbody\nend!\n`);
  await wire.call('obsidian_prepend_note', { name: 'Note', content: '- ', inline: true });
  expect(note()).toBe(`${start}- top\nbody\nend!\n`);
  await wire.call('obsidian_append_note', { name: 'Windows', content: 'third' });
  await wire.call('obsidian_append_note', { name: 'Windows', content: '.', inline: true });
  expect(note('Windows.md')).toBe('first\r\nsecond\r\nthird.\r\n');

  const rest = '- top\nbody\nend!\n';
  expect(
    await wire.call('obsidian_set_property', { file: 'Note', name: 'n', value: '2', type: 'number' }),
  ).toEqual({ path: 'Note.md', name: 'n', value: 2 });
  expect(note()).toBe(`---\nstatus: open   # kept\nn: 2\n---\n${rest}`);
  expect(await wire.call('obsidian_read_property', { file: 'Note', name: 'Status' })).toEqual({
    path: 'Note.md',
    name: 'status',
    value: 'open',
  });
  expect(await wire.call('obsidian_remove_property', { path: 'Note.md', name: 'N' })).toEqual({
    path: 'Note.md',
    name: 'n',
    removed: true,
  });
  expect(note()).toBe(`---\nstatus: open   # kept\n---\n${rest}`);
  expect(await wire.call('obsidian_read_property', { path: 'Note.md', name: 'n' })).toEqual({
    code: -32_000,
    message: 'Property not found in Note.md: n',
    data: { errorCode: 'PROPERTY_NOT_FOUND' },
  });
  const wrong = { code: -32_602, data: { errorCode: 'INVALID_PARAMS' } };
  const set = (more: object) => wire.call('obsidian_set_property', { path: 'Note.md', name: 'n', ...more });
  expect(await set({ value: 'two', type: 'number' })).toMatchObject(wrong);
  expect(await set({ value: 'yes', type: 'checkbox' })).toMatchObject(wrong);
  expect(await set({})).toMatchObject(wrong);

  expect(await wire.call('obsidian_move_note', { name: 'Note', to: 'Archive' })).toEqual({
    path: 'Archive/Note.md',
    from: 'Note.md',
    to: 'Archive/Note.md',
    linksUpdated: expect.any(Number),
  });
  expect(await wire.call('obsidian_rename_note', { file: 'Note', name: 'Old note' })).toMatchObject({
    path: 'Archive/Old note.md',
    linksUpdated: 1,
  });
  expect(note('Links.md')).toBe('[[Old note]] and [[Windows|w]]\n');
  expect(await wire.call('obsidian_rename_note', { name: 'Old note', new_name: 'New.md' })).toMatchObject({
    path: 'Archive/New.md',
  });
  expect(await wire.call('obsidian_delete_note', { name: 'New', permanent: true })).toEqual({
    path: 'Archive/New.md',
    deleted: true,
    permanent: false,
    trashPath: expect.stringContaining('.trash/'),
    brokenLinks: 1,
  });
  expect(note('Archive/New.md')).toBeUndefined();

  const { items } = await wire.vault.session.history({ limit: 50 });
  expect(new Set(items.map(({ tool }) => tool))).toContain('obsidian/obsidian_delete_note');
  await wire.close();
});

it('offers nothing that writes to who may only read, and stops at exit and at the end of input', async () => {
  const wire = await openObsidianWire({ 'A.md': 'a\n' }, { scopes: ['vault:read'] });
  expect(await wire.call('obsidian_create_note', { name: 'B' })).toMatchObject({
    code: -32_602,
    data: { errorCode: 'UNKNOWN_TOOL' },
  });
  expect(await wire.call('obsidian_read_note', { name: 'A' })).toEqual({ path: 'A.md', content: 'a\n' });
  wire.line('{"jsonrpc":"2.0","method":"exit"}');
  await wire.close();
});

it('changes no note by a name that others may have while the index is being built, and says what lists may lack', async () => {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = (store: Store): Store =>
    new Proxy(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        if (key !== 'read') return value.bind(target);
        return async (path: string) => {
          await released;
          return target.read(path);
        };
      },
    });
  const wire = await openObsidianWire({ 'Twin.md': 'a\n', 'sub/Twin.md': 'b\n' }, { wrapIndexed: held });
  const append = (given: object) => wire.call('obsidian_append_note', { content: 'x', ...given });
  expect(await append({ name: 'Twin' })).toMatchObject({
    code: -32_000,
    data: { errorCode: 'INDEX_NOT_READY', nextStep: 'Call again with path: Twin.md' },
  });
  expect(wire.vault.files()).toEqual({ 'Twin.md': 'a\n', 'sub/Twin.md': 'b\n' });
  expect(await wire.call('obsidian_list_tags')).toMatchObject({ notice: expect.stringMatching(/^index: /) });
  release();
  await wire.vault.vault.indexed();
  expect(await append({ name: 'Twin' })).toMatchObject({ code: -32_004 });
  expect(await wire.call('obsidian_list_tags')).toEqual({ tags: [], total: 0 });
  await wire.close();
});
