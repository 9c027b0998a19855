import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { day } from './field.ts';

/** Validates values against a schema that the caller gave. */
export interface SchemaCheck {
  /** The problems of a value, as sentences for its author; empty = valid. */
  problemsOf(value: unknown): readonly string[];
}

const MOST_CHARACTERS = 32_000;
const MOST_DEPTH = 24;
const MOST_PROBLEMS = 20;
const SCHEMA_2020 = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Compiles a JSON Schema (2020-12). References may only point into the schema: nothing is fetched. Patterns
 * are run by RE2, in time linear in the text.
 *
 * @throws LecternError `invalid_input` for a schema that is invalid, too large, nested too deeply, or refers
 *   to another document
 */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  if (JSON.stringify(schema).length > MOST_CHARACTERS)
    throw unusable(`is longer than ${MOST_CHARACTERS} characters`);
  assertBounded(schema, 0);
  const { $schema } = schema;
  if ($schema !== undefined && (typeof $schema !== 'string' || $schema.replace(/#$/, '') !== SCHEMA_2020))
    throw unusable(`is of another draft; "$schema" can only be ${SCHEMA_2020}`);
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    // Its messages would go to the console.
    logger: false,
    addUsedSchema: false,
    // Compiling the meta-schema takes longer than one turn of the event loop may; each keyword refuses
    // invalid values itself.
    meta: false,
    validateSchema: false,
    formats: FORMATS,
    code: { regExp },
  });
  try {
    const validate = ajv.compile(schema);
    return {
      problemsOf(value) {
        if (validate(value)) return [];
        return (validate.errors ?? [])
          .slice(0, MOST_PROBLEMS)
          .map(({ instancePath, message = 'does not fit', params }) => {
            const place = instancePath === '' ? 'the object' : instancePath.slice(1).replaceAll('/', '.');
            const named = Object.values(params as Record<string, unknown>).filter(
              (param) => typeof param === 'string' && !message.includes(param),
            );
            return `${place} ${message}${named.length === 0 ? '' : ` (${named.join(', ')})`}`;
          });
      },
    };
  } catch (error) {
    throw unusable(`cannot be used: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function assertBounded(value: unknown, depth: number): void {
  if (depth > MOST_DEPTH) throw unusable(`is nested deeper than ${MOST_DEPTH} levels`);
  if (Array.isArray(value)) for (const item of value) assertBounded(item, depth + 1);
  if (!isRecord(value)) return;
  for (const [key, below] of Object.entries(value)) {
    if ((key === '$ref' || key === '$dynamicRef') && typeof below === 'string' && !below.startsWith('#'))
      throw unusable(`refers to ${below.slice(0, 100)}, which is elsewhere`);
    assertBounded(below, depth + 1);
  }
}

function unusable(problem: string, cause?: unknown): LecternError {
  return new LecternError('invalid_input', `The schema ${problem}.`, {
    next: 'Give a JSON Schema (2020-12) of an object, with references inside it only.',
    ...(cause !== undefined && { cause }),
  });
}

/**
 * The pattern engine of the validator. `code` would be printed into generated modules, which are never
 * generated.
 */
const regExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // The validator identifies patterns by their text.
    return { test: (text: string) => compiled.test(text), toString: () => pattern };
  },
  { code: 'new RegExp' },
);

/** The formats that are checked; others are annotations, as in the specification. */
const FORMATS = {
  date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && day(text) === text,
  'date-time': (text: string) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text)),
  time: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/,
  email: /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){1,8}$/,
  uri: (text: string) => URL.canParse(text),
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
};
