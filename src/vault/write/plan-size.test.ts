import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { HEADINGS_PER_NOTE } from '../../budgets.ts';
import { PlanSize } from './plan-size.ts';

it('takes steps up to its size and no more', () => {
  const size = new PlanSize(10);
  size.add({ before: new Uint8Array(4), after: new Uint8Array(3) });
  size.add({ after: new Uint8Array(3) });
  size.add({});
  expect(() => size.add({ after: new Uint8Array(1) })).toThrow(
    expect.objectContaining({ code: 'too_large', next: expect.stringContaining('Nothing was changed') }),
  );
});

let open: TestVault;
beforeAll(async () => {
  const headings = (count: number) =>
    Array.from({ length: count }, (_, at) => `# ${at}, see [[Old]]\n`).join('\n');
  open = await openTestVault({
    'Old.md': '',
    'Many.md': headings(HEADINGS_PER_NOTE),
    'More.md': headings(HEADINGS_PER_NOTE + 1),
  });
});
afterAll(async () => {
  await open.close();
  discard(open);
});

it('a move is refused whole when more headings would change than their outlines have room for', async () => {
  const before = open.files();
  const move = () => open.session.move('Old.md', 'New.md', { tool: 'note_move', dryRun: false });
  await expect(move()).rejects.toMatchObject({
    code: 'too_large',
    details: { path: 'More.md', limit: HEADINGS_PER_NOTE },
  });
  expect(open.files()).toEqual(before);
  await open.session.write('More.md', { body: 'no links\n' }, { tool: 'note_write', dryRun: false });
  expect((await move()).links).toBe(HEADINGS_PER_NOTE);
});
