import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../errors.ts';
import type { Dialect } from '../model.ts';
import { addToListProperty, applySplices, setProperty } from './edit.ts';
import { parseFrontmatter } from './frontmatter.ts';

/** The shared cases whose every action edits or reads properties. */
interface Case {
  readonly id: string;
  readonly area: string;
  readonly input: { readonly files: Readonly<Record<string, string>> };
  readonly action: Action | readonly Action[];
  readonly right: { readonly files?: Readonly<Record<string, string>>; readonly result?: string };
}

interface Action {
  readonly op: string;
  readonly path?: string;
  readonly key?: string;
  readonly value?: unknown;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly tag?: string;
}

const PROPERTY_OPS = new Set([
  'set_property',
  'set_properties',
  'append_property',
  'add_tag',
  'get_properties',
  'links',
  'search_tag',
]);
const EDITS = new Set(['set_property', 'set_properties', 'append_property', 'add_tag']);

const actionsOf = ({ action }: Case): readonly Action[] =>
  Array.isArray(action) ? action : [action as Action];
const cases = readFileSync(new URL('../../../test/fixtures/cases.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case)
  .filter(
    (one) =>
      actionsOf(one).every(({ op }) => PROPERTY_OPS.has(op)) &&
      actionsOf(one).some(({ op }) => EDITS.has(op)),
  );

function edit(text: string, action: Action, dialect: Dialect): string {
  const { op, key = '', value, values = {}, tag } = action;
  if (op === 'set_property') return applySplices(text, setProperty(text, dialect, key, value));
  if (op === 'append_property') return applySplices(text, addToListProperty(text, dialect, key, value));
  if (op === 'add_tag') return applySplices(text, addToListProperty(text, dialect, 'tags', tag));
  if (op !== 'set_properties') return text;
  return Object.entries(values).reduce(
    (now, [name, one]) => applySplices(now, setProperty(now, dialect, name, one)),
    text,
  );
}

describe('shared cases about properties', () => {
  it('are there', () => {
    expect(cases.length).toBeGreaterThanOrEqual(10);
  });

  it.each(cases.map((one) => [one.id, one] as const))('%s', (_, one) => {
    const dialect = one.area === 'logseq' ? 'logseq' : 'obsidian';
    const files = { ...one.input.files };
    let refused = false;
    for (const action of actionsOf(one)) {
      const { path } = action;
      if (path === undefined) continue;
      try {
        files[path] = edit(files[path] ?? '', action, dialect);
      } catch (error) {
        if (!isLecternError(error)) throw error;
        refused = true;
      }
    }
    expect(refused).toBe(/refused/i.test(one.right.result ?? ''));
    if (one.right.files !== undefined) expect(files).toEqual({ ...one.input.files, ...one.right.files });
    for (const { path = '', op, key = '', value, values } of actionsOf(one)) {
      if (refused || (op !== 'set_property' && op !== 'set_properties')) continue;
      const data = parseFrontmatter(files[path] ?? '', dialect)?.data;
      expect(data).toMatchObject(values ?? { [key]: value });
    }
  });
});
