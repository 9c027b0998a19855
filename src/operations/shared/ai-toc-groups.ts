import { clustersOf } from '../../ai/extractive/clusters.ts';
import { tagKey } from '../../notes/structure/tags.ts';
import type { Turn } from '../../turn.ts';
import type { ScopedNote } from './ai-scope.ts';

export const GROUPINGS = ['none', 'folder', 'tag', 'letter', 'cluster'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface NoteGroup {
  readonly name: string;
  readonly notes: readonly ScopedNote[];
}

/** Notes in groups, in the order of their names; notes without a group come last. */
export async function groupsOf(
  notes: readonly ScopedNote[],
  by: Grouping,
  mostGroups: number,
  turn: Turn,
): Promise<readonly NoteGroup[]> {
  switch (by) {
    case 'none':
      return notes.length === 0 ? [] : [{ name: '', notes }];
    case 'cluster': {
      const texts = notes.map((item) => ({
        item,
        text: `${item.note.title} ${item.note.title} ${bodyOf(item)}`,
      }));
      const clusters = await clustersOf(texts, mostGroups, turn);
      return clusters.map(({ name, items }) => ({ name, notes: items }));
    }
    case 'folder':
      return byName(notes, ({ note }) => folderOf(note.path));
    case 'letter':
      return byName(notes, ({ note }) => (Array.from(note.title.trim())[0] ?? '').toLocaleUpperCase());
    case 'tag': {
      const counts = new Map<string, number>();
      for (const { note } of notes)
        for (const tag of new Set(note.parsed.tags.map(tagKey))) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      // By the tag that most of the notes have, so that there are few groups.
      const best = ({ note }: ScopedNote) =>
        [...note.parsed.tags].sort(
          (a, b) =>
            (counts.get(tagKey(b)) ?? 0) - (counts.get(tagKey(a)) ?? 0) || (tagKey(a) < tagKey(b) ? -1 : 1),
        )[0];
      return byName(notes, (note) => {
        const tag = best(note);
        return tag === undefined ? '' : `#${tagKey(tag)}`;
      });
    }
  }
}

function bodyOf({ note, span }: ScopedNote): string {
  return note.parsed.text.slice(span.start, Math.min(span.end, span.start + 4000));
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

function byName(notes: readonly ScopedNote[], nameOf: (note: ScopedNote) => string): NoteGroup[] {
  const groups = new Map<string, ScopedNote[]>();
  for (const note of notes) {
    const name = nameOf(note);
    const group = groups.get(name) ?? [];
    group.push(note);
    groups.set(name, group);
  }
  return [...groups]
    .sort(([a], [b]) => Number(a === '') - Number(b === '') || (a < b ? -1 : 1))
    .map(([name, members]) => ({ name: name === '' ? 'Others' : name, notes: members }));
}
