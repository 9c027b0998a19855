import { CANVAS_OPS } from '../../../budgets.ts';
import { LecternError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import { closest } from '../../../nearest.ts';
import { SIDES } from '../node.ts';
import { hasLoneSurrogate } from './layout.ts';

/**
 * The fields of an edit of a canvas. In a request an edit is one flat object with `op` and the fields of that
 * op; {@link checkCanvasOps} enforces which op takes which fields. Coordinates and sizes are in canvas units
 * (pixels).
 */
export interface CanvasOpFields {
  /** Id of the node or edge; for a new one the id it shall have. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly type: string;
  readonly text: string;
  readonly file: string;
  readonly subpath: string;
  readonly url: string;
  readonly label: string;
  readonly color: string;
  readonly background: string;
  readonly background_style: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Id of the node to place this one beside. */
  readonly near: string;
  readonly side: string;
  /** Id or label of the group to place it in. */
  readonly group: string;
  /** Whether the contents of a group are moved or removed with it. */
  readonly with_contents: boolean;
  readonly padding: number;
  readonly from_node: string;
  readonly from_side: string;
  readonly from_end: string;
  readonly to_node: string;
  readonly to_side: string;
  readonly to_end: string;
  /** Names of fields to remove. */
  readonly unset: readonly string[];
  /** Keys of plugins. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export type CanvasOpField = keyof CanvasOpFields;

interface OpSpec {
  readonly required: readonly CanvasOpField[];
  readonly optional: readonly CanvasOpField[];
}

const CONTENT = [
  'text',
  'file',
  'subpath',
  'url',
  'label',
  'color',
  'background',
  'background_style',
] as const;
const EDGE_OPTIONS = ['from_side', 'from_end', 'to_side', 'to_end', 'label', 'color'] as const;

const CANVAS_OPS_BY_NAME = {
  add_node: {
    required: ['type'],
    optional: [...CONTENT, 'id', 'x', 'y', 'width', 'height', 'near', 'side', 'group', 'extra'],
  },
  update_node: {
    required: ['id'],
    optional: ['type', ...CONTENT, 'x', 'y', 'width', 'height', 'unset', 'extra'],
  },
  move_node: { required: ['id'], optional: ['x', 'y', 'near', 'side', 'group', 'with_contents'] },
  remove_node: { required: ['id'], optional: ['with_contents'] },
  add_edge: { required: ['from_node', 'to_node'], optional: [...EDGE_OPTIONS, 'id', 'extra'] },
  update_edge: {
    required: ['id'],
    optional: ['from_node', 'to_node', ...EDGE_OPTIONS, 'unset', 'extra'],
  },
  remove_edge: { required: ['id'], optional: [] },
  add_group_around: {
    required: ['ids'],
    optional: ['id', 'label', 'color', 'padding', 'background', 'background_style', 'extra'],
  },
} as const satisfies Record<string, OpSpec>;

type Specs = typeof CANVAS_OPS_BY_NAME;
export type CanvasOpName = keyof Specs;
export const CANVAS_OP_NAMES = Object.keys(CANVAS_OPS_BY_NAME) as readonly CanvasOpName[];

/** An edit whose fields have been checked for its op. */
export type CheckedCanvasOp = { readonly op: CanvasOpName } & Partial<CanvasOpFields>;

const NUMBERS: ReadonlySet<CanvasOpField> = new Set(['x', 'y', 'width', 'height', 'padding']);
const LISTS: ReadonlySet<CanvasOpField> = new Set(['ids', 'unset']);
const MAY_BE_EMPTY: ReadonlySet<CanvasOpField> = new Set(['text', 'label', 'subpath', 'color']);

/** Other accepted field names: those of JSON Canvas, and ones that language models write. */
const ALIASES: Readonly<Record<string, CanvasOpField>> = {
  fromNode: 'from_node',
  fromSide: 'from_side',
  fromEnd: 'from_end',
  toNode: 'to_node',
  toSide: 'to_side',
  toEnd: 'to_end',
  from: 'from_node',
  to: 'to_node',
  backgroundStyle: 'background_style',
  node: 'id',
  node_id: 'id',
  edge_id: 'id',
  nodes: 'ids',
  node_ids: 'ids',
  path: 'file',
  content: 'text',
  in_group: 'group',
};

/** Keys of the file for fields that have another name in an edit. */
export const FILE_KEYS: Readonly<Partial<Record<CanvasOpField, string>>> = {
  background_style: 'backgroundStyle',
  from_node: 'fromNode',
  from_side: 'fromSide',
  from_end: 'fromEnd',
  to_node: 'toNode',
  to_side: 'toSide',
  to_end: 'toEnd',
};

/**
 * Checks a list of flat edits and resolves aliases of field names.
 *
 * @throws LecternError `invalid_input` with the op's index and its missing, unknown or wrong fields;
 *   `too_large` for more than {@link CANVAS_OPS} edits
 */
export function checkCanvasOps(ops: readonly unknown[]): readonly CheckedCanvasOp[] {
  if (ops.length === 0)
    throw new LecternError('invalid_input', 'A patch needs at least one op.', {
      details: { missing: ['ops'] },
      next: `Pass ops as an array of objects with "op" set to one of: ${CANVAS_OP_NAMES.join(', ')}.`,
    });
  if (ops.length > CANVAS_OPS)
    throw new LecternError('too_large', `A patch takes at most ${CANVAS_OPS} ops, not ${ops.length}.`, {
      details: { limit: CANVAS_OPS },
      next: 'Split the edit into several calls.',
    });
  return ops.map(checkOp);
}

function checkOp(given: unknown, index: number): CheckedCanvasOp {
  if (!isRecord(given)) throw wrongOp(index, undefined, 'is not an object', {});
  const name = CANVAS_OP_NAMES.find((one) => one === given.op);
  if (name === undefined) throw noSuchOp(index, given.op);
  const spec: OpSpec = CANVAS_OPS_BY_NAME[name];
  const taken = [...spec.required, ...spec.optional];
  const fields: Partial<Record<CanvasOpField, unknown>> = {};
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    // Some hosts send every option, with null for those not set.
    if (key === 'op' || value === undefined || value === null) continue;
    const field = taken.find((one) => one === key) ?? aliasOf(key, taken, given);
    if (field === undefined) unknown.push(key);
    else fields[field] = checkField(field, value, index, name);
  }
  const missing = spec.required.filter((field) => fields[field] === undefined);
  if (missing.length + unknown.length > 0) {
    const parts = [
      ...(missing.length > 0 ? [`is missing ${missing.join(', ')}`] : []),
      ...unknown.map((key) => {
        const meant = closest(key, taken);
        return `does not take ${key.slice(0, 60)}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`;
      }),
    ];
    throw wrongOp(index, name, parts.join(' and '), { missing, unknown });
  }
  return { op: name, ...fields } as CheckedCanvasOp;
}

function aliasOf(
  key: string,
  taken: readonly CanvasOpField[],
  given: Readonly<Record<string, unknown>>,
): CanvasOpField | undefined {
  const field = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
  return field !== undefined && taken.includes(field) && given[field] == null ? field : undefined;
}

function checkField(field: CanvasOpField, value: unknown, index: number, name: CanvasOpName): unknown {
  const wrong = (must: string) => wrongOp(index, name, `: ${field} must be ${must}`, { wrong: [field] });
  if (NUMBERS.has(field)) {
    const number = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    throw wrong('a number');
  }
  if (LISTS.has(field)) {
    const list = Array.isArray(value) ? value : [value];
    if (list.length > 0 && list.every((one) => typeof one === 'string' && one !== '')) return list;
    throw wrong('a list of texts');
  }
  if (field === 'with_contents') {
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    throw wrong('true or false');
  }
  if (field === 'extra') {
    if (!isRecord(value)) throw wrong('an object');
    if (hasLoneSurrogate(value)) throw wrong('well-formed Unicode, without lone surrogates');
    return value;
  }
  // Colour presets ("1" to "6") may arrive as numbers.
  const text = field === 'color' && typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw wrong('a text');
  if (text === '' && !MAY_BE_EMPTY.has(field)) throw wrong('a text that is not empty');
  if (/\p{Surrogate}/u.test(text)) throw wrong('well-formed Unicode, without lone surrogates');
  if (field === 'side' && !SIDES.some((side) => side === text)) throw wrong(`one of ${SIDES.join(', ')}`);
  return text;
}

function noSuchOp(index: number, written: unknown): LecternError {
  const shown = typeof written === 'string' ? written.slice(0, 60) : undefined;
  const meant = shown === undefined ? undefined : closest(shown, CANVAS_OP_NAMES);
  return new LecternError(
    'invalid_input',
    shown === undefined ? `ops[${index}] has no "op".` : `ops[${index}] has an unknown op "${shown}".`,
    {
      details: { op_index: index, missing: shown === undefined ? ['op'] : [], allowed: CANVAS_OP_NAMES },
      next: `${meant === undefined ? '' : `Did you mean ${meant}? `}Use one of: ${CANVAS_OP_NAMES.join(', ')}.`,
    },
  );
}

/**
 * The `invalid_input` error for an op, with the fields it takes as the next step.
 *
 * @param problem ends the sentence; it starts with a colon, or with a verb
 */
export function wrongOp(
  index: number,
  name: CanvasOpName | undefined,
  problem: string,
  details: Record<string, unknown>,
): LecternError {
  const what = name === undefined ? `ops[${index}]` : `ops[${index}] ${name}`;
  const gap = problem.startsWith(':') ? '' : ' ';
  return new LecternError('invalid_input', `${what}${gap}${problem}.`, {
    details: { op_index: index, ...(name !== undefined && { op: name }), ...details },
    next:
      name === undefined
        ? `Each op is an object with "op" set to one of: ${CANVAS_OP_NAMES.join(', ')}.`
        : usage(name),
  });
}

function usage(name: CanvasOpName): string {
  const { required, optional }: OpSpec = CANVAS_OPS_BY_NAME[name];
  const extra = optional.length === 0 ? '' : `; optional: ${optional.join(', ')}`;
  return `${name} takes ${required.join(', ')}${extra}.`;
}
