import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { OPEN_ACCESS } from '../../vault/access.ts';
import type { VaultSession } from '../../vault/session.ts';
import { aiScope, assertSomething, resolveScope, toScopeOutput } from './ai-scope.ts';

const FILES = {
  'Boats/Sail.md': '---\ntags: [boat]\n---\n# Sails\n\nA jib is a sail.\n\n## Care\n\nDry them.\n',
  'Boats/Engine.md': '---\ntags: [boat, loud]\n---\nAn engine needs oil.\n\n## Care\n\nChange the oil.\n',
  'Boats/Empty.md': '---\ntags: [boat]\n---\n\n',
  'Boats/Chart.canvas': '{"nodes":[],"edges":[]}',
  'Home/Sail.md': 'Another sail.\n\n## Care\n\n## Care\n',
  'Secret/Diary.md': '#boat The jib is torn, nobody may know.\n',
};

let vault: TestVault;
let narrow: VaultSession;
beforeAll(async () => {
  vault = await openTestVault(FILES, {
    rules: { ...OPEN_ACCESS, read: { allow: [], deny: ['Secret/**'] } },
  });
  narrow = vault.session;
});
afterAll(async () => {
  await vault.close();
  discard(vault);
});

async function resolve(given: object) {
  const scope = await resolveScope(narrow, aiScope.parse(given), new AbortController().signal);
  return {
    scope,
    paths: scope.taken.map(({ note }) => note.path),
    texts: scope.taken.map(({ note, span }) => note.parsed.text.slice(span.start, span.end)),
    leftOut: scope.leftOut.map(({ path, reason }) => `${path} ${reason}`),
  };
}

describe('the scope of an AI tool', () => {
  it('is the whole vault as the caller sees it when nothing is said', async () => {
    const { paths, leftOut } = await resolve({});
    expect(paths).toEqual(['Boats/Engine.md', 'Boats/Sail.md', 'Home/Sail.md']);
    expect(leftOut).toEqual(['Boats/Empty.md empty']);
  });

  it('takes paths in their order and says of each that it could not take why', async () => {
    const { paths, leftOut } = await resolve({
      paths: ['Boats/Sail', 'Sail', 'Secret/Diary.md', 'Nothing.md', 'Boats/Chart.canvas', 'boats/engine.md'],
    });
    expect(paths).toEqual(['Boats/Sail.md', 'Boats/Engine.md']);
    expect(leftOut).toEqual([
      'Sail ambiguous',
      'Secret/Diary.md not_found',
      'Nothing.md not_found',
      'Boats/Chart.canvas unreadable',
    ]);
  });

  it('takes a note once, however often it is named', async () => {
    expect((await resolve({ paths: ['Engine', 'Boats/Engine.md', 'Boats/Engine'] })).paths).toEqual([
      'Boats/Engine.md',
    ]);
  });

  it('holds every condition at once', async () => {
    expect((await resolve({ path_glob: 'Boats/**', tag: ['#Boat'] })).paths).toEqual([
      'Boats/Engine.md',
      'Boats/Sail.md',
    ]);
    const named = await resolve({ paths: ['Home/Sail.md', 'Boats/Sail.md'], path_glob: 'Boats/**' });
    expect(named.paths).toEqual(['Boats/Sail.md']);
    expect(named.leftOut).toEqual(['Home/Sail.md not_in_scope']);
    expect((await resolve({ query: 'jib', tag: ['boat'] })).paths).toEqual(['Boats/Sail.md']);
    expect((await resolve({ query: 'oil', paths: ['Boats/Sail.md', 'Boats/Engine.md'] })).paths).toEqual([
      'Boats/Engine.md',
    ]);
  });

  it('takes one section of each note', async () => {
    const { texts, leftOut } = await resolve({ heading: 'Care' });
    expect(texts).toEqual(['Change the oil.', 'Dry them.']);
    expect(leftOut).toEqual(['Boats/Empty.md no_heading', 'Home/Sail.md ambiguous_heading']);
  });

  it('takes what changed since, newest first', async () => {
    utimesSync(join(vault.folder, 'Boats/Sail.md'), 1e9, 1e9);
    await vault.session.reindex(() => {}, new AbortController().signal);
    expect((await resolve({ since: '2020-01-01', path_glob: 'Boats/**' })).paths).toEqual([
      'Boats/Engine.md',
    ]);
    await expect(resolve({ since: 'yesterday' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('stops at max_notes and says how many are beyond', async () => {
    const { paths, scope } = await resolve({ max_notes: 1 });
    expect(paths).toEqual(['Boats/Engine.md']);
    expect(toScopeOutput(scope)).toMatchObject({ notes_total: 1, left_out_total: 3 });
    expect(scope.leftOut.every(({ reason }) => reason === 'max_notes' || reason === 'empty')).toBe(true);
  });

  it('refuses a key that it does not have: leaving it out would widen the scope', () => {
    expect(aiScope.safeParse({ folder: 'Boats' }).success).toBe(false);
  });

  it('says that nothing is left to work on', async () => {
    const { scope } = await resolve({ paths: ['Secret/Diary.md'] });
    expect(() => assertSomething(scope)).toThrow(
      expect.objectContaining({
        code: 'not_found',
        details: { left_out: [{ path: 'Secret/Diary.md', reason: 'not_found' }], left_out_total: 1 },
      }),
    );
  });
});
