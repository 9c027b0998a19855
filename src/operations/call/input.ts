import type * as z from 'zod';
import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { closest } from '../../nearest.ts';
import type { Operation } from '../operation.ts';
import { assertBounded } from './bounds.ts';
import { inputSchema, type ObjectSchema, type PropertySchema } from './json-schema.ts';

/** Keys callers use out of habit from other tools → the keys that may be meant, best first. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  name: ['path', 'tag', 'q'],
  file: ['path'],
  filename: ['path'],
  file_path: ['path'],
  filepath: ['path'],
  note: ['path'],
  note_path: ['path'],
  page: ['path'],
  query: ['q'],
  search: ['q'],
  text: ['q', 'body'],
  glob: ['path_glob'],
  folder: ['path_glob'],
  directory: ['path_glob'],
  pattern: ['path_glob'],
  tags: ['tag'],
  max: ['limit'],
  max_results: ['limit'],
  count: ['limit'],
  page_size: ['limit'],
  next_cursor: ['cursor'],
  section: ['heading'],
  block: ['block_id'],
  properties: ['frontmatter'],
  content: ['body'],
  markdown: ['body'],
  path: ['from'],
  source: ['from'],
  old: ['from'],
  old_path: ['from'],
  new: ['to'],
  new_path: ['to'],
  destination: ['to'],
  target: ['to'],
  order: ['sort'],
  sort_by: ['sort'],
  order_by: ['sort'],
};

/** A folder is not a glob and a title is not a path: these are suggested in the error, never applied. */
const ONLY_SUGGESTED: ReadonlySet<string> = new Set(['folder', 'directory', 'page']);

/**
 * Checks a caller's arguments against an operation's input and repairs unambiguous mistakes: arrays and
 * objects sent as JSON strings, a single string where a list is expected, numbers and booleans sent as text,
 * `null` for an absent option (also inside objects) and, for reads, a well-known alias of a missing key.
 *
 * @throws LecternError `too_large`; `invalid_input` whose details name the `missing`, `unknown` and `invalid`
 *   keys
 */
export function parseInput<Input extends z.ZodObject>(
  operation: Pick<Operation<Input>, 'name' | 'input' | 'effects'>,
  raw: unknown,
): z.output<Input> {
  const schema = inputSchema(operation.input);
  const given = argumentsObject(operation.name, raw);
  assertBounded(operation.name, operation.effects, given);
  const { values, unknown } = assignKeys(given, schema, operation.effects === 'reads');
  // Checked again, because parts may have been text before.
  assertBounded(operation.name, operation.effects, values);
  const parsed = operation.input.safeParse(values);
  if (parsed.success && unknown.length === 0) return parsed.data;

  const missing = (schema.required ?? []).filter((key) => !Object.hasOwn(values, key));
  const invalid = parsed.success ? [] : invalidKeys(parsed.error, missing);
  throw inputError(operation.name, schema, { missing, unknown, invalid });
}

function argumentsObject(name: string, raw: unknown): Record<string, unknown> {
  const value = typeof raw === 'string' ? (parseContainer(raw) ?? raw) : (raw ?? {});
  if (isRecord(value)) return value;
  throw new LecternError('invalid_input', `The arguments of ${name} must be one JSON object.`, {
    details: { missing: [], unknown: [], invalid: [] },
    next: `Call ${name} again with an object of named arguments.`,
  });
}

interface UnknownKey {
  readonly key: string;
  readonly did_you_mean?: string;
}

function assignKeys(
  given: Record<string, unknown>,
  schema: ObjectSchema,
  lenient: boolean,
): { values: Record<string, unknown>; unknown: UnknownKey[] } {
  const values: Record<string, unknown> = {};
  const unknown: UnknownKey[] = [];
  const strange: [string, unknown][] = [];
  for (const [key, value] of Object.entries(given)) {
    const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (property === undefined) strange.push([key, value]);
    else if (value !== null) values[key] = repair(value, property);
  }
  for (const [key, value] of strange) {
    const meant = aliasOf(key, schema);
    const property = meant === undefined ? undefined : schema.properties[meant];
    if (lenient && meant !== undefined && property !== undefined && !Object.hasOwn(values, meant)) {
      if (!ONLY_SUGGESTED.has(canonical(key))) {
        if (value !== null) values[meant] = repair(value, property);
        continue;
      }
    }
    const suggestion = meant ?? closest(key, Object.keys(schema.properties));
    unknown.push(suggestion === undefined ? { key } : { key, did_you_mean: suggestion });
  }
  return { values, unknown };
}

/** `maxChars`, `max-chars` and `Max_Chars` are one spelling. */
function canonical(key: string): string {
  return key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

function aliasOf(key: string, schema: ObjectSchema): string | undefined {
  const spelled = canonical(key);
  if (Object.hasOwn(schema.properties, spelled)) return spelled;
  const candidates = Object.hasOwn(ALIASES, spelled) ? (ALIASES[spelled] ?? []) : [];
  return candidates.find((candidate) => Object.hasOwn(schema.properties, candidate));
}

function repair(value: unknown, property: PropertySchema): unknown {
  switch (property.type) {
    case 'array':
      return repairArray(value, property.items);
    case 'object': {
      const parsed = typeof value === 'string' ? parseContainer(value) : value;
      return isRecord(parsed) ? repairObject(parsed, property.properties ?? {}) : value;
    }
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    default:
      return value;
  }
}

/** Hosts that send every option of an object send null for unused ones. */
function repairObject(
  value: Record<string, unknown>,
  properties: Readonly<Record<string, PropertySchema>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property?.type === undefined) return [[key, one]];
      return one === null ? [] : [[key, repair(one, property)]];
    }),
  );
}

function repairArray(value: unknown, items: PropertySchema | undefined): unknown {
  const parsed = typeof value === 'string' ? parseContainer(value) : undefined;
  const list = Array.isArray(parsed) ? parsed : Array.isArray(value) ? value : [parsed ?? value];
  if (items === undefined) return list;
  return list.map((item) => repair(item, items));
}

/** The list or map that a text contains as JSON; undefined for anything else: `2024` stays a string. */
export function parseContainer(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface InvalidKey {
  readonly key: string;
  readonly problem: string;
}

function invalidKeys(error: z.ZodError, missing: readonly string[]): InvalidKey[] {
  return error.issues
    .map((issue) => ({ key: issue.path.map(String).join('.'), problem: issue.message }))
    .filter(({ key }) => !missing.includes(key));
}

function inputError(
  name: string,
  schema: ObjectSchema,
  found: { missing: readonly string[]; unknown: readonly UnknownKey[]; invalid: readonly InvalidKey[] },
): LecternError {
  const parts: string[] = [];
  if (found.missing.length > 0) parts.push(`missing ${found.missing.join(', ')}`);
  for (const { key, did_you_mean } of found.unknown) {
    parts.push(
      `unknown ${shorten(key)}${did_you_mean === undefined ? '' : ` (did you mean ${did_you_mean}?)`}`,
    );
  }
  for (const { key, problem } of found.invalid) parts.push(`${key === '' ? 'arguments' : key}: ${problem}`);
  const required = schema.required ?? [];
  const optional = Object.keys(schema.properties).filter((key) => !required.includes(key));
  const list = (keys: readonly string[]) => (keys.length === 0 ? 'none' : keys.join(', '));
  return new LecternError('invalid_input', `Wrong arguments for ${name}: ${parts.join('; ')}.`, {
    details: {
      missing: found.missing,
      unknown: found.unknown.map((entry) => ({ ...entry, key: shorten(entry.key) })),
      invalid: found.invalid,
    },
    next: `Call ${name} again. Required: ${list(required)}. Optional: ${list(optional)}.`,
  });
}

function shorten(key: string): string {
  return key.length > 60 ? `${key.slice(0, 57)}...` : key;
}
