import { describeRetriesAfterKill } from '../support/retry-after-kill.ts';

describeRetriesAfterKill([
  ['note_write', { path: 'Log/Harbour.md', body: 'a namesake\n' }],
  ['note_write', { path: 'Tides.md', body: 'replaced\n', frontmatter: { a: 1 } }],
  ['note_patch', { path: 'Harbour.md', ops: [{ op: 'rename_heading', from: 'Plan', to: 'Scheme' }] }],
  ['note_move', { from: 'Log', to: 'Journal' }],
  ['note_move', { from: 'Harbour.md', to: 'HARBOUR.md' }],
  ['note_delete', { path: 'Board.canvas' }],
  ['note_undo', { write_id: 1 }],
  ['note_undo', { since: '2000-01-01T00:00:00Z' }],
  ['trash_restore', { trash_path: '.trash/Gone.md', to: 'Log/Tides.md' }],
]);
