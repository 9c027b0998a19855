import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FolderRow, NoteRow, ResourceRow } from './rows.ts';
import { JoplinTree } from './tree.ts';

/** Few names, in forms that are one to a file system or nearly so, so that many items want the same path. */
const titles = fc.constantFrom('A', 'a', 'B', 'é', 'é', 'A (00000001)', 'A (00000002)', 'x/y', '');
const ids = fc
  .integer({ min: 1, max: 12 })
  .map((nth) => `${'0'.repeat(7)}${nth.toString(16)}`.padEnd(32, '0'));
const places = fc.constantFrom('', 'f1', 'f2', 'gone');

const notes = fc.record({
  kind: fc.constant('note' as const),
  id: ids,
  title: titles,
  parent_id: places,
  user_created_time: fc.integer({ min: 1, max: 5 }),
});
const removals = fc.record({ kind: fc.constant('removal' as const), id: ids });
const resources = fc.record({
  kind: fc.constant('resource' as const),
  id: ids.map((id) => `r${id.slice(1)}`),
  title: fc.constantFrom('pic.png', '/A.md', '/B/pic.png', '/F/é/pic.png', '/.trash/pic.png', ''),
});
const notebooks = fc.record({
  kind: fc.constant('notebook' as const),
  id: ids.map((id) => `n${id.slice(1)}`),
  parent_id: fc.constantFrom('', 'f1', 'f2'),
  title: titles,
});

type Rows = Readonly<Record<'folders' | 'notes' | 'resources', Map<string, Row>>>;
type Row = FolderRow & NoteRow & ResourceRow;

function treeOf({ folders, notes: rows, resources: files }: Rows): JoplinTree {
  return new JoplinTree(folders.values(), rows.values(), files.values());
}

const PATHS = [
  'A.md',
  'a.md',
  'F/A.md',
  'F/a.md',
  'F/é.md',
  'F/é/pic.png',
  'G/B.md',
  '_resources/pic.png',
  'B',
];
const FOLDERS = ['F', 'f', 'G', 'F/A', 'F/a', 'B', 'F/é', 'F/é', 'x_y', '_resources'];

function shownBy(tree: JoplinTree): unknown {
  return {
    items: [...tree.items.values()].map(({ id, path, kind }) => `${kind} ${id} ${path}`).sort(),
    at: PATHS.map((path) => tree.at(path)?.id),
    like: PATHS.map((path) => tree.hasFileLike(path)),
    folders: FOLDERS.map((path) => [
      tree.hasFolder(path),
      tree.notebook(path),
      [...tree.foldersLike(path)].sort(),
    ]),
  };
}

describe('JoplinTree', () => {
  it('is after every change what it is when made of all rows, or says that it is not', () => {
    let kept = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(notes, notes, removals, resources, notebooks), { maxLength: 25 }),
        (steps) => {
          const rows: Rows = { folders: new Map(), notes: new Map(), resources: new Map() };
          for (const [id, title] of [
            ['f1', 'F'],
            ['f2', 'G'],
          ] as const)
            rows.folders.set(id, { id, title, parent_id: '' } as Row);
          let tree = treeOf(rows);
          for (const step of steps) {
            const row = { file_extension: '', ...step } as unknown as Row;
            let isKept: boolean;
            if (step.kind === 'note') {
              rows.notes.set(step.id, row);
              isKept = tree.update(row);
            } else if (step.kind === 'removal') {
              rows.notes.delete(step.id);
              isKept = tree.remove(step.id);
            } else if (step.kind === 'resource') {
              // Only new ones are added.
              if (rows.resources.has(step.id)) continue;
              rows.resources.set(step.id, row);
              isKept = tree.addResource(row);
            } else {
              if (rows.folders.has(step.id)) continue;
              rows.folders.set(step.id, row);
              isKept = tree.addNotebook(row);
            }
            const whole = treeOf(rows);
            if (isKept) expect(shownBy(tree)).toEqual(shownBy(whole));
            else tree = whole;
            if (isKept) kept += 1;
          }
        },
      ),
    );
    expect(kept).toBeGreaterThan(100);
  });

  it('needs no other made for a note whose name nobody else wants', () => {
    const row = (id: string, title: string, created = 1) =>
      ({ id, title, parent_id: 'f', user_created_time: created }) as NoteRow;
    const tree = new JoplinTree([{ id: 'f', title: 'F', parent_id: '' } as FolderRow], [row('1', 'One')], []);
    expect(tree.update(row('2', 'Two'))).toBe(true);
    expect(tree.update(row('2', 'Second'))).toBe(true);
    expect(tree.of('2')?.path).toBe('F/Second.md');
    expect(tree.at('F/Two.md')).toBeUndefined();
    expect(tree.remove('1')).toBe(true);
    expect(tree.update(row('3', 'Second', 0))).toBe(false);
  });
});
