import { PATCH_OPS } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import {
  type CheckedOp,
  LINE_PLACES,
  OP_SPECS,
  type OpField,
  PATCH_OP_NAMES,
  type PatchOpName,
} from './op.ts';

/**
 * Other names of fields, which models and other servers use. They apply only when the proper name is absent.
 */
const FIELD_ALIASES: Readonly<Record<string, readonly string[]>> = {
  key: ['property', 'name', 'field'],
  value: ['content', 'new_value'],
  markdown: ['content', 'text', 'body', 'new_content', 'value'],
  heading: ['section', 'target', 'header', 'title'],
  block_id: ['block', 'blockId', 'id', 'target'],
  from: ['heading', 'old', 'old_heading', 'section'],
  to: ['new', 'new_heading', 'title', 'text'],
  old: ['old_text', 'oldText', 'old_string', 'oldString', 'find', 'search', 'from'],
  new: ['new_text', 'newText', 'new_string', 'newString', 'replace', 'replacement', 'to'],
  expected_count: ['expectedCount', 'count', 'expected_splices'],
  all: ['replace_all', 'replaceAll'],
  include_frontmatter: ['includeFrontmatter'],
  occurrence: ['index', 'nth'],
  line: ['line_number', 'lineNumber'],
  task: ['text', 'content', 'old'],
  status: ['state', 'value'],
  tag: ['name', 'value'],
  keep_subsections: ['keepSubsections'],
  at: ['position', 'where'],
  blank_line: ['blankLine'],
};

const OP_ALIASES: ReadonlyMap<string, PatchOpName> = new Map(
  Object.entries<PatchOpName>({
    append: 'append_body',
    prepend: 'prepend_body',
    set_property: 'set_frontmatter',
    delete_property: 'delete_frontmatter',
    remove_property: 'delete_frontmatter',
    remove_frontmatter: 'delete_frontmatter',
    append_section: 'append_to_section',
    find_replace: 'replace_text',
    delete_tag: 'remove_tag',
    append_to_body: 'append_body',
    update_frontmatter: 'set_frontmatter',
    find_and_replace: 'replace_text',
    str_replace: 'replace_text',
    update_task: 'set_task',
  }).map(([alias, name]) => [spelling(alias), name]),
);

const BOOLEANS: ReadonlySet<OpField> = new Set([
  'all',
  'include_frontmatter',
  'keep_subsections',
  'blank_line',
]);
const COUNTS: ReadonlySet<OpField> = new Set(['expected_count', 'occurrence', 'line']);
/** Fields that may be the empty string. */
const MAY_BE_EMPTY: ReadonlySet<OpField> = new Set(['markdown', 'new']);
/** Fields that may consist of white space only. */
const MAY_BE_BLANK: ReadonlySet<OpField> = new Set(['old', 'status']);

/**
 * Checks a list of flat edits and resolves aliases of ops and fields.
 *
 * @throws LecternError `invalid_input` with the op's index, its missing, unknown or wrong fields, and the
 *   fields it takes; `too_large` for too many ops
 */
export function checkOps(input: readonly unknown[]): readonly CheckedOp[] {
  if (!Array.isArray(input) || input.length === 0) {
    throw new LecternError('invalid_input', 'A patch needs at least one op.', {
      details: { missing: ['ops'] },
      next: `Pass ops as an array of objects with "op" set to one of: ${PATCH_OP_NAMES.join(', ')}.`,
    });
  }
  // More ops amount to rewriting the whole note.
  if (input.length > PATCH_OPS) {
    throw new LecternError('too_large', `A patch takes at most ${PATCH_OPS} ops, not ${input.length}.`, {
      next: 'Split the edit into several calls, or write the whole note.',
    });
  }
  return input.map(checkOp);
}

function checkOp(input: unknown, index: number): CheckedOp {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(index, undefined, `ops[${index}] is not an object.`, {});
  }
  const given = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const name = takeName(given, index);
  const spec: { required: readonly OpField[]; optional: readonly OpField[] } = OP_SPECS[name];

  const fields: Partial<Record<OpField, unknown>> = {};
  const missing: OpField[] = [];
  // Proper names are assigned first, so that an alias never takes the value of another field.
  const all = [...spec.required, ...spec.optional];
  const absent = all.filter((field) => !take(given, field, field, fields));
  for (const field of absent) {
    const found = (FIELD_ALIASES[field] ?? []).some((alias) => take(given, alias, field, fields));
    if (!found && spec.required.includes(field)) missing.push(field);
  }
  // Some hosts send every optional field, with null for those not set.
  const unknown = [...given].filter(([, value]) => value !== null).map(([key]) => key);
  if (missing.length > 0 || unknown.length > 0) {
    const parts = [
      missing.length > 0 ? `is missing ${quoted(missing)}` : '',
      unknown.length > 0 ? `does not take ${quoted(unknown)}` : '',
    ].filter((part) => part !== '');
    throw invalid(index, name, `ops[${index}] ${name} ${parts.join(' and ')}.`, { missing, unknown });
  }

  for (const field of all) {
    const value = fields[field];
    if (value === undefined || field === 'value') continue;
    fields[field] = checkField(field, value, index, name);
  }
  const checked = { op: name, ...fields } as CheckedOp;
  checkTogether(checked, index);
  return checked;
}

function takeName(given: Map<string, unknown>, index: number): PatchOpName {
  const key = ['op', 'operation', 'type', 'action'].find((one) => typeof given.get(one) === 'string');
  const written = key === undefined ? undefined : String(given.get(key));
  if (key !== undefined) given.delete(key);
  const known = written === undefined ? undefined : opNameOf(written);
  if (known !== undefined) return known;
  throw new LecternError(
    'invalid_input',
    written === undefined ? `ops[${index}] has no "op".` : `ops[${index}] has an unknown op "${written}".`,
    {
      details: { op_index: index, missing: written === undefined ? ['op'] : [], allowed: PATCH_OP_NAMES },
      next: `Use one of: ${PATCH_OP_NAMES.join(', ')}.`,
    },
  );
}

/** The op of a name or alias in any spelling; undefined for an unknown one. */
export function opNameOf(written: string): PatchOpName | undefined {
  const spelled = spelling(written);
  return PATCH_OP_NAMES.find((one) => spelling(one) === spelled) ?? OP_ALIASES.get(spelled);
}

/** The form in which names are compared: `appendBody`, `append-body` and `append_body` are equal. */
function spelling(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

/** Moves `given[key]` to `fields[field]`. Null means absent, except as a property's value. */
function take(
  given: Map<string, unknown>,
  key: string,
  field: OpField,
  fields: Partial<Record<OpField, unknown>>,
): boolean {
  const value = given.get(key);
  if (value === undefined || (value === null && field !== 'value')) return false;
  given.delete(key);
  fields[field] = value;
  return true;
}

function checkField(field: OpField, value: unknown, index: number, name: PatchOpName): unknown {
  const wrong = (must: string): LecternError =>
    invalid(index, name, `ops[${index}] ${name}: "${field}" must be ${must}.`, { wrong: [field] });
  if (BOOLEANS.has(field)) {
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    throw wrong('true or false');
  }
  if (COUNTS.has(field)) {
    const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 1) return number;
    throw wrong('a whole number from 1');
  }
  if (field === 'at') {
    const place = LINE_PLACES.find((one) => one === value);
    if (place !== undefined) return place;
    throw wrong(`one of ${LINE_PLACES.join(', ')}`);
  }
  const texts = (field === 'heading' || field === 'from') && isChain(value) ? value : [value];
  for (const text of texts) {
    if (typeof text !== 'string') throw wrong('a string');
    const empty = MAY_BE_BLANK.has(field) ? text === '' : text.trim() === '';
    if (empty && !MAY_BE_EMPTY.has(field)) throw wrong('a string that is not empty');
    // A lone surrogate cannot be encoded as UTF-8 and would match inside an emoji.
    if (/\p{Surrogate}/u.test(text)) throw wrong('well-formed Unicode, without lone surrogates');
  }
  return value;
}

/** Whether a value is a heading path as an array of its segments. */
function isChain(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
}

/** Checks fields that depend on each other. @throws LecternError `invalid_input` */
function checkTogether(op: CheckedOp, index: number): void {
  if (op.op === 'set_task' && op.task === undefined && op.line === undefined) {
    throw invalid(index, op.op, `ops[${index}] set_task is missing "task" or "line".`, {
      missing: ['task', 'line'],
      unknown: [],
    });
  }
  if (op.op === 'replace_text') {
    const ways = [
      op.all === true && 'all',
      op.expected_count !== undefined && 'expected_count',
      op.occurrence !== undefined && 'occurrence',
    ];
    const chosen = ways.filter((way) => way !== false);
    if (chosen.length > 1) {
      throw invalid(index, op.op, `ops[${index}] replace_text takes only one of ${quoted(chosen)}.`, {
        wrong: chosen,
      });
    }
  }
}

function invalid(
  index: number,
  name: PatchOpName | undefined,
  message: string,
  details: Record<string, unknown>,
): LecternError {
  return new LecternError('invalid_input', message, {
    details: { op_index: index, ...(name === undefined ? {} : { op: name }), ...details },
    next:
      name === undefined
        ? `Each op is an object with "op" set to one of: ${PATCH_OP_NAMES.join(', ')}.`
        : usage(name),
  });
}

function usage(name: PatchOpName): string {
  const { required, optional } = OP_SPECS[name];
  const extra = optional.length === 0 ? '' : `; optional: ${optional.join(', ')}`;
  return `${name} takes ${required.join(', ')}${extra}.`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
