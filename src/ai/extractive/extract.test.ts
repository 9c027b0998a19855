import { describe, expect, it } from 'vitest';
import { parseNote } from '../../notes/parse.ts';
import { sourceOf } from '../grounding/source.ts';
import type { FieldSpec } from '../suggest/field.ts';
import { extract } from './extract.ts';
import { findField } from './find-field.ts';
import { factsOf } from './pairs.ts';

const NOTE = `# The yard

Author: **Jane Doe**
- Price: 4.50
Done:: yes
Written [by:: hand] on 3 May 2026, see <https://example.org/a?b=1>.
Ask bob@example.org.
http: no pair is 10:30

\`\`\`
Author: Not Me
\`\`\`

## Tools

- [ ] plane
- saw

## Parts

| Name | Count | Bought |
| :-- | --: | --- |
| jib \\| spare | 2 | 2026-01-02 |
| boom | one | |
`;

function facts(text: string) {
  const source = sourceOf({
    path: 'A.md',
    title: 'A',
    etag: 'e',
    parsed: parseNote(text, { dialect: 'obsidian' }),
  });
  return factsOf(source, { start: 0, end: text.length });
}

describe('what a note says in so many words', () => {
  it.each<[FieldSpec, unknown, number | undefined]>([
    [{ name: 'author', type: 'text' }, 'Jane Doe', 3],
    [{ name: 'PRICE', type: 'number' }, 4.5, 4],
    [{ name: 'price', type: 'date' }, undefined, undefined],
    [{ name: 'done', type: 'checkbox' }, true, 5],
    [{ name: 'by', type: 'text' }, 'hand', 6],
    [{ name: 'date', type: 'date' }, '2026-05-03', 6],
    [{ name: 'due', type: 'date' }, undefined, undefined],
    [{ name: 'email', type: 'text' }, 'bob@example.org', 7],
    [{ name: 'source', type: 'text' }, 'https://example.org/a?b=1', 6],
    [{ name: 'contact', type: 'text', kind: 'email' }, 'bob@example.org', 7],
    [{ name: 'tools', type: 'list' }, ['plane', 'saw'], 16],
    [{ name: 'colour', type: 'text' }, undefined, undefined],
  ])('%j is %j, line %j', async (field, value, line) => {
    const found = findField(field, await facts(NOTE), 'A');
    expect(found).toEqual(value === undefined ? undefined : { value, line });
  });

  it('fills an object, tables by the names of their columns', async () => {
    const schema = {
      type: 'object',
      properties: {
        author: { type: 'string' },
        price: { type: 'number' },
        tools: { type: 'array', items: { type: 'string' } },
        parts: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              count: { type: 'integer' },
              bought: { type: 'string', format: 'date' },
            },
          },
        },
        other: { type: 'array', items: { type: 'object', properties: { x: {}, y: {}, name: {} } } },
        missing: { type: 'string' },
      },
    };
    const { data, lines } = extract(schema, await facts(NOTE), 'A');
    expect(data).toEqual({
      author: 'Jane Doe',
      price: 4.5,
      tools: ['plane', 'saw'],
      parts: [{ name: 'jib | spare', count: 2, bought: '2026-01-02' }, { name: 'boom' }],
    });
    expect(lines.parts).toBe(23);
  });

  it('lets others in between, however long a note is', async () => {
    const long = await facts(`${'Key: value\n| a | b |\n|---|---|\n- item\n'.repeat(20_000)}`);
    expect(long.pairs.length).toBe(20_000);
  });
});
