import * as z from 'zod';
import { LecternError } from '../errors.ts';
import { opNameOf } from '../notes/patch/check.ts';
import { PATCH_OP_NAMES, type PatchOp } from '../notes/patch/op.ts';
import { parseContainer } from './call/input.ts';
import { operation } from './operation.ts';
import { oneLine } from './shared/rendering.ts';
import {
  exactNotePath,
  ifMatch,
  noteWriting,
  toWriteOutput,
  writeInput,
  writeOptions,
} from './shared/write-fields.ts';

const text = z.string().optional();
const count = z.number().int().min(1).optional();
const flag = z.boolean().optional();

/** One flat shape for all ops; the fields that each op needs are checked in `notes/patch/check.ts`. */
const patchOp = z.looseObject({
  // Not z.enum: the check of the fields accepts other names of an op and answers an unknown one.
  op: z.string().meta({ enum: PATCH_OP_NAMES }),
  key: text,
  value: z.unknown().optional().describe('Text; a list or map as JSON text'),
  json: text.describe('Instead of value: JSON text, e.g. true, 4, null'),
  markdown: text,
  heading: text.describe('Text, "## text" or "A > B"'),
  block_id: text,
  from: text,
  to: text,
  old: text,
  new: text,
  expected_count: count,
  all: flag,
  include_frontmatter: flag,
  occurrence: count,
  line: count,
  task: text,
  status: text,
  tag: text,
  keep_subsections: flag,
  at: text,
  blank_line: flag,
});

/**
 * The value of a property: `json` contains any value as JSON text, and a `value` that is the JSON text of a
 * list or map is parsed. Other text stays text.
 * @throws LecternError `invalid_input` for `json` that is not JSON or is given together with `value`
 */
function withJsonValue(op: z.output<typeof patchOp>, index: number): Record<string, unknown> {
  const { json, ...rest } = op;
  if (opNameOf(op.op) !== 'set_frontmatter') return op;
  if (json === undefined) {
    const container = typeof op.value === 'string' ? parseContainer(op.value) : undefined;
    return container === undefined ? op : { ...op, value: container };
  }
  const wrong = (problem: string) =>
    new LecternError('invalid_input', `ops[${index}] set_frontmatter: "json" ${problem}.`, {
      details: { op_index: index, op: 'set_frontmatter', wrong: ['json'] },
      next: 'Pass JSON text in json, e.g. true, 4, null, "text", ["a", "b"], or plain text in value.',
    });
  if (rest.value !== undefined && rest.value !== null) throw wrong('and "value" exclude each other');
  try {
    return { ...rest, value: JSON.parse(json) };
  } catch {
    throw wrong(`is no JSON: ${oneLine(json, 60)}`);
  }
}

export const notePatch = operation({
  name: 'note_patch',
  title: 'Edit a note',
  description:
    'Edit parts of a note; all ops apply in order, or none. Every other byte stays. Fields by op: set_frontmatter key,value (or json) · delete_frontmatter key · append_body, prepend_body markdown · insert_before_heading, insert_after_heading, replace_section, append_to_section heading,markdown · replace_block block_id,markdown · rename_heading from,to (links follow) · replace_text old,new (expected_count or all) · set_task status + task or line · add_tag, remove_tag tag · insert_lines markdown, at (top, start or end; as they are).',
  ...noteWriting,
  places: ['path'],
  input: z.object({
    path: exactNotePath,
    ops: z.array(patchOp).min(1),
    if_match: ifMatch,
    ...writeInput,
  }),
  rest: { method: 'PATCH', path: '/v1/notes/{path}' },
  cli: { noun: 'note', verb: 'patch', positionals: ['path'] },
  run: async (vault, input) =>
    toWriteOutput(
      await vault.patch(
        input.path,
        input.ops.map(withJsonValue) as readonly unknown[] as readonly PatchOp[],
        writeOptions('note_patch', input),
      ),
    ),
});
