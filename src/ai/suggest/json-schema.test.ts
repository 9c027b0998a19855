import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../errors.ts';
import { compileSchema } from './json-schema.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('a schema of the caller', () => {
  it('says what does not fit, and where', () => {
    const part = object({ name: { type: 'string' } }, { required: ['name'] });
    const check = compileSchema(
      object(
        { price: { type: 'number' }, parts: { type: 'array', items: part } },
        { required: ['price'], additionalProperties: false },
      ),
    );
    expect(check.problemsOf({ price: 4, parts: [{ name: 'jib' }] })).toEqual([]);
    const problems = check.problemsOf({ parts: [{}], colour: 'red' });
    expect(problems).toHaveLength(3);
    for (const sentence of [
      /the object must have required property 'price'/,
      /additional properties.*colour/,
      /parts\.0 must have required property 'name'/,
    ])
      expect(problems.some((problem) => sentence.test(problem))).toBe(true);
  });

  it('is of 2020-12: prefixItems, dependentRequired, $defs', () => {
    const check = compileSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { day: { type: 'string', format: 'date' } },
      properties: {
        when: { $ref: '#/$defs/day' },
        pair: { prefixItems: [{ type: 'string' }, { type: 'number' }] },
      },
      dependentRequired: { when: ['pair'] },
    });
    expect(check.problemsOf({ when: '2026-01-31', pair: ['a', 1] })).toEqual([]);
    expect(check.problemsOf({ when: '2026-02-30', pair: ['a', 'b'] })).toHaveLength(2);
    expect(check.problemsOf({ when: '2026-01-31' })).toHaveLength(1);
  });

  it.each([
    ['date-time', '2026-01-31T10:00:00Z', '2026-01-31'],
    ['email', 'a@example.org', 'a@b'],
    ['uri', 'https://example.org', 'no uri'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123'],
  ])('knows the format %s', (format, right, wrong) => {
    const check = compileSchema(object({ x: { type: 'string', format } }));
    expect(check.problemsOf({ x: right })).toEqual([]);
    expect(check.problemsOf({ x: wrong })).toHaveLength(1);
  });

  it('runs patterns in linear time', () => {
    const check = compileSchema(object({ x: { type: 'string', pattern: '^(a+)+$' } }));
    expect(check.problemsOf({ x: 'aaa' })).toEqual([]);
    expect(check.problemsOf({ x: `${'a'.repeat(5000)}!` })).toHaveLength(1);
    const two = compileSchema(object({ x: { pattern: '^a' }, y: { pattern: '^b' } }));
    expect(two.problemsOf({ x: 'a', y: 'a' })).toHaveLength(1);
  });

  let deep: object = { type: 'string' };
  for (let level = 0; level < 30; level += 1) deep = { type: 'array', items: deep };
  it.each<[string, object, RegExp]>([
    ['one that is none', object({ x: { type: 'nothing' } }), /cannot be used/],
    ['what lies elsewhere', object({ x: { $ref: 'https://example.org/schema.json' } }), /elsewhere/],
    ['a place that is not there', object({ x: { $ref: '#/$defs/none' } }), /cannot be used/],
    [
      'another draft',
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
      /another draft/,
    ],
    ['one too long', object({ x: { description: 'x'.repeat(33_000) } }), /longer than/],
    ['one too deep', object({ x: deep }), /deeper than/],
    [
      'a pattern that RE2 does not have',
      object({ x: { type: 'string', pattern: '(?=a)' } }),
      /cannot be used/,
    ],
  ])('refuses %s', (_case, schema, sentence) => {
    try {
      compileSchema(schema as Record<string, unknown>);
    } catch (error) {
      expect(isLecternError(error) && error.code).toBe('invalid_input');
      expect((error as Error).message).toMatch(sentence);
      return;
    }
    expect.unreachable();
  });
});
