import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../errors.ts';
import { checkOps } from './check.ts';

function refusal(ops: readonly unknown[]) {
  try {
    checkOps(ops);
  } catch (error) {
    if (isLecternError(error)) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('checkOps', () => {
  it('takes the flat shape as documented', () => {
    const op = { op: 'replace_section', heading: 'A', markdown: 'x', keep_subsections: true };
    expect(checkOps([op])).toEqual([op]);
  });

  it.each([
    [
      { op: 'append', content: 'x' },
      { op: 'append_body', markdown: 'x' },
    ],
    [
      { op: 'appendBody', content: 'x', heading: null },
      { op: 'append_body', markdown: 'x' },
    ],
    [
      { op: 'append_section', section: 'H', text: 'x' },
      { op: 'append_to_section', heading: 'H', markdown: 'x' },
    ],
    [
      { op: 'rename_heading', heading: 'Ex', occurrence: 2, new: 'Ex two' },
      { op: 'rename_heading', from: 'Ex', to: 'Ex two', occurrence: 2 },
    ],
    [
      { operation: 'replace_text', old_string: 'a', new_string: '' },
      { op: 'replace_text', old: 'a', new: '' },
    ],
    [
      { op: 'set_property', property: 'k', value: null },
      { op: 'set_frontmatter', key: 'k', value: null },
    ],
    [
      { op: 'set_task', line: '3', status: 'x', task: null },
      { op: 'set_task', line: 3, status: 'x' },
    ],
    [
      { op: 'append_to_section', heading: ['Feb', 'Tasks'], markdown: '- c' },
      { op: 'append_to_section', heading: ['Feb', 'Tasks'], markdown: '- c' },
    ],
  ])('accepts the spelling %j', (given, proper) => {
    expect(checkOps([given])).toEqual([proper]);
  });

  it('lets the proper name win over an alias, and then names the alias as unknown', () => {
    expect(refusal([{ op: 'append_body', markdown: 'x', content: 'y' }]).details).toMatchObject({
      unknown: ['content'],
    });
  });

  it('names what is missing, what is unknown and what the op takes', () => {
    const error = refusal([
      { op: 'append_body', markdown: 'x' },
      { op: 'insert_after_heading', markdwon: 'x' },
    ]);
    expect(error.code).toBe('invalid_input');
    expect(error.message).toBe(
      'ops[1] insert_after_heading is missing "heading", "markdown" and does not take "markdwon".',
    );
    expect(error.details).toEqual({
      op_index: 1,
      op: 'insert_after_heading',
      missing: ['heading', 'markdown'],
      unknown: ['markdwon'],
    });
    expect(error.next).toBe('insert_after_heading takes heading, markdown; optional: occurrence.');
  });

  it('never takes an absent text for a text', () => {
    expect(refusal([{ op: 'append_body', markdown: undefined }]).details).toMatchObject({
      missing: ['markdown'],
    });
    expect(refusal([{ op: 'append_body', markdown: null }]).details).toMatchObject({ missing: ['markdown'] });
    expect(refusal([{ op: 'set_frontmatter', key: 'k' }]).details).toMatchObject({ missing: ['value'] });
  });

  it('refuses more ops than one call may have', () => {
    const error = refusal(Array.from({ length: 201 }, () => ({ op: 'append_body', markdown: '' })));
    expect(error).toMatchObject({ code: 'too_large', message: expect.stringMatching(/at most 200/) });
  });

  it.each([
    [[], /at least one op/],
    [['append_body'], /not an object/],
    [[{ markdown: 'x' }], /no "op"/],
    [[{ op: 'explode' }], /unknown op "explode"/],
    [[{ op: 'append_body', markdown: 3 }], /"markdown" must be a string/],
    [[{ op: 'append_body', markdown: 'half \ud83d' }], /lone surrogates/],
    [[{ op: 'replace_text', old: '', new: 'x' }], /"old" must be a string that is not empty/],
    [[{ op: 'replace_text', old: 'a', new: 'x', all: true, expected_count: 2 }], /only one of/],
    [[{ op: 'replace_text', old: 'a', new: 'x', expected_count: 0 }], /whole number from 1/],
    [
      [{ op: 'replace_section', heading: ' ', markdown: 'x' }],
      /"heading" must be a string that is not empty/,
    ],
    [[{ op: 'replace_section', heading: 'A', markdown: 'x', keep_subsections: 1 }], /true or false/],
    [[{ op: 'set_task', status: 'x' }], /"task" or "line"/],
  ])('refuses %j', (ops, message) => {
    const error = refusal(ops);
    expect(error.code).toBe('invalid_input');
    expect(error.message).toMatch(message);
  });
});
