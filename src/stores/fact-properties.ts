import { LecternError } from '../errors.ts';
import { COMPLETED, joplinTime, joplinTimeText, listedTags } from '../notes/dialects/joplin.ts';
import type { FactChanges, NoteFacts } from './store.ts';

type Reading = (value: unknown, facts: NoteFacts) => FactChanges | undefined;

/**
 * Facts by property name, as in Joplin's "Markdown + Front Matter". A parser returns nothing for a value that
 * the fact cannot have; null removes the fact.
 */
const PROPERTIES: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['title', (value) => (typeof value === 'string' ? { title: value.trim() || null } : undefined)],
  ['tags', (value) => ({ tags: orNone(listedTags(value).map((tag) => tag.replace(/^#/, ''))) })],
  ['created', (value) => timeAs('createdMs', value)],
  ['updated', (value) => timeAs('updatedMs', value)],
  ['source', (value) => (typeof value === 'string' ? { sourceUrl: value.trim() || null } : undefined)],
  ['author', (value) => (typeof value === 'string' ? { author: value.trim() || null } : undefined)],
  [COMPLETED, completed],
  ['completed', completed],
  [
    'due',
    (value, { todo }) => {
      const dueMs = joplinTime(value);
      return dueMs === undefined ? undefined : { todo: { done: todo?.done ?? false, dueMs } };
    },
  ],
]);

const NONE: Readonly<Record<string, (facts: NoteFacts) => FactChanges>> = {
  title: () => ({ title: null }),
  tags: () => ({ tags: null }),
  created: () => ({ createdMs: null }),
  updated: () => ({ updatedMs: null }),
  source: () => ({ sourceUrl: null }),
  author: () => ({ author: null }),
  [COMPLETED]: () => ({ todo: null }),
  completed: () => ({ todo: null }),
  due: ({ todo }) => (todo ? { todo: { done: todo.done } } : {}),
};

/** Facts as properties, for reading. */
export function propertiesOfFacts(facts: NoteFacts): Record<string, unknown> {
  const { title, tags, todo, createdMs, updatedMs, sourceUrl, author, geo } = facts;
  return {
    ...(title !== undefined && { title }),
    ...(tags !== undefined && { tags: [...tags] }),
    ...(todo && { [COMPLETED]: todo.done ? 'yes' : 'no' }),
    ...(todo?.dueMs !== undefined && { due: joplinTimeText(todo.dueMs) }),
    ...(createdMs !== undefined && { created: joplinTimeText(createdMs) }),
    ...(updatedMs !== undefined && { updated: joplinTimeText(updatedMs) }),
    ...(sourceUrl !== undefined && { source: sourceUrl }),
    ...(author !== undefined && { author }),
    ...geo,
  };
}

/** The facts a property stands for; undefined when it stands for none. A value of null or undefined removes them. */
export function factOf(key: string, value: unknown, facts: NoteFacts): FactChanges | undefined {
  const name = key.trim().toLowerCase();
  const reading = PROPERTIES.get(name);
  if (reading === undefined) return undefined;
  if (value === null || value === undefined) return NONE[name]?.(facts) ?? {};
  const changes = reading(value, facts);
  if (changes !== undefined) return changes;
  throw new LecternError('invalid_input', `${key} cannot be ${JSON.stringify(value)}.`, {
    details: { wrong: ['value'], key },
    next: 'This vault keeps it beside the text: a text for title, source and author, a time such as 2024-05-01T12:00:00Z for created, updated and due, yes or no for completed.',
  });
}

function completed(value: unknown, { todo }: NoteFacts): FactChanges | undefined {
  const word = typeof value === 'boolean' ? value : String(value).trim().toLowerCase();
  const done = word === true || word === 'yes' || word === 'true';
  if (!done && word !== false && word !== 'no' && word !== 'false') return undefined;
  return { todo: { ...todo, done } };
}

function timeAs(name: 'createdMs' | 'updatedMs', value: unknown): FactChanges | undefined {
  const ms = typeof value === 'number' ? value : joplinTime(value);
  return ms === undefined ? undefined : { [name]: ms };
}

/** Tags in a change of facts: no tags = null. */
export function orNone(tags: readonly string[]): readonly string[] | null {
  return tags.length > 0 ? tags : null;
}
