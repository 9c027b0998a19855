import { expect, it } from 'vitest';
import { OPERATIONS } from '../src/operations/registry.ts';
import { describeRetriesAfterKill, type WriteCall } from './support/retry-after-kill.ts';

/** One call of each operation; more of them are in `long/retry-after-kill.test.ts`. */
const CALLS: readonly WriteCall[] = [
  ['note_write', { path: 'New/Port.md', body: 'a new one\n' }],
  ['note_patch', { path: 'Tides.md', ops: [{ op: 'append_body', markdown: 'more' }] }],
  ['note_move', { from: 'Harbour.md', to: 'Sea/Port.md' }],
  ['canvas_write', { path: 'New.canvas', canvas: { nodes: [{ type: 'file', file: 'Tides.md' }] } }],
  ['canvas_patch', { path: 'Board.canvas', ops: [{ op: 'add_node', type: 'text', text: 'new' }] }],
  ['folder_create', { path: 'Empty/Deep' }],
  ['note_delete', { path: 'Tides.md' }],
  ['tag_rename', { from: 'ships', to: 'boats' }],
  ['note_undo', { write_id: 3 }],
  ['trash_restore', { trash_path: '.trash/Gone.md' }],
  ['ai_toc', { mode: 'folder', path: 'Log', write: { path: 'Map.md' } }],
  ['ai_tag', { scope: { paths: ['Log/Wednesday.md'] }, vocabulary: { min_confidence: 0 }, apply: true }],
  ['ai_metadata', { scope: { paths: ['Log/Wednesday.md'] }, fields: [{ name: 'author' }], apply: true }],
  [
    'ai_extract',
    {
      scope: { paths: ['Log/Wednesday.md'] },
      schema: { type: 'object', properties: { author: { type: 'string' } } },
      destination: 'frontmatter',
      apply: true,
    },
  ],
];

describeRetriesAfterKill(CALLS);

it('every operation that takes a key is among them', () => {
  const repeatable = OPERATIONS.filter(({ input }) => 'idempotency_key' in input.shape).map(
    ({ name }) => name,
  );
  expect([...new Set(CALLS.map(([name]) => name))].sort()).toEqual(repeatable.sort());
});
