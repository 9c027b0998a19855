import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { parseInput } from './call/input.ts';
import { noteList } from './note-list.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault({
    'A/one.md': '---\nrating: 5\nstatus: open\n---\n#boat\n',
    'A/two.md': '---\nrating: "4"\n---\n[[one]]\n',
    'A/two (conflict 2024-01-02).md': '---\nrating: 4\n---\n[[one]]\n',
    'B/three.md': '---\nrating: none\nstatus: open\n---\n',
    'B/four.md': '',
    'pic.png': '',
  });
});
afterAll(async () => {
  await vault.close();
  discard(vault);
});

async function list(given: object) {
  const context = { signal: new AbortController().signal, progress: () => {} };
  const out = await noteList.run(vault.session, parseInput(noteList, given), context);
  expect(noteList.output.strict().parse(out)).toEqual(out);
  return out;
}
const paths = async (given: object) => (await list(given)).notes.map(({ path }) => path);

describe('note_list where', () => {
  it('lists the notes for which an expression of Bases holds, other files never', async () => {
    expect(await paths({ where: 'rating >= 4' })).toEqual([
      'A/one.md',
      'A/two (conflict 2024-01-02).md',
      'A/two.md',
    ]);
    expect(await paths({ where: 'true' })).toHaveLength(5);
    expect(await paths({ where: 'file.hasLink("one") && !file.hasTag("boat")' })).toHaveLength(2);
  });

  it('together with folder, tag, properties and order', async () => {
    expect(await paths({ where: 'rating >= 4', path_glob: 'A/**', sort: '-path' })).toEqual([
      'A/two.md',
      'A/two (conflict 2024-01-02).md',
      'A/one.md',
    ]);
    expect(await paths({ where: 'rating >= 4', tag: 'boat' })).toEqual(['A/one.md']);
    expect(await paths({ where: 'rating.isType("string")', frontmatter: { status: 'open' } })).toEqual([
      'B/three.md',
    ]);
  });

  it('pages, counts all and marks copies as the list without it does', async () => {
    const first = await list({ where: 'file.inFolder("A")', limit: 2 });
    expect(first).toMatchObject({ total: 3, next_cursor: 'w2' });
    expect(first.notes[1]).toEqual((await list({ limit: 2 })).notes[1]);
    expect(await paths({ where: 'file.inFolder("A")', limit: 2, cursor: 'w2' })).toEqual(['A/two.md']);
  });

  it('says where an expression is wrong, and of how many notes it has no value', async () => {
    await expect(list({ where: 'rating > ' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { where: 'where', column: 10 },
    });
    await expect(list({ where: 'file.hasTagg("x")' })).rejects.toThrow(/did you mean hasTag/);
    await expect(list({ where: 'true', cursor: 'zz' })).rejects.toMatchObject({ code: 'invalid_input' });
    expect((await list({ where: 'number(rating) > 1' })).notice).toMatch(
      /where: "none" is no number\. \(1 file left out\)/,
    );
  });
});
