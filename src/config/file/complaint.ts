import * as z from 'zod';
import { closest } from '../../nearest.ts';

/** The first problem of a file, as a message for its author. */
export interface Complaint {
  readonly key: readonly string[];
  readonly message: string;
  readonly next: string;
}

type Issue = z.core.$ZodIssue;

/** Describes the first issue in one sentence; an unknown key takes precedence, as it may cause the others. */
export function complaint(error: z.ZodError, schema: z.ZodType): Complaint {
  const issues = error.issues.map(plain);
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) throw error;
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return unknownKey(issue.keys[0] ?? '', path, schema);
  if (issue.code === 'invalid_key') {
    return {
      key: path,
      message: `${JSON.stringify(path.at(-1))} cannot be the name of a vault.`,
      next: 'Use up to 40 letters, digits, - and _, starting with a letter or digit, and not digits alone.',
    };
  }
  const name = path.length === 0 ? 'the file' : path.join('.');
  return { key: path, message: `${name} cannot be this: ${issue.message}.`, next: wanted(path, schema) };
}

/** Of the alternatives of a union, the last is the one with keys: its message is the helpful one. */
function plain(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const inner =
    issue.errors.flat().find(({ code }) => code === 'unrecognized_keys') ?? issue.errors.at(-1)?.[0];
  return inner === undefined || inner.path.length + (inner.code === 'unrecognized_keys' ? 1 : 0) === 0
    ? issue
    : plain({ ...inner, path: [...issue.path, ...inner.path] });
}

function unknownKey(typed: string, path: readonly string[], schema: z.ZodType): Complaint {
  const known = keysAt(schema, path);
  const meant = closest(typed, known);
  const inside = path.length === 0 ? '' : ` in ${path.join('.')}`;
  return {
    key: [...path, typed],
    message: `There is no setting ${JSON.stringify(typed.slice(0, 60))}${inside}.`,
    next: meant === undefined ? `Settings there: ${known.join(', ')}.` : `Did you mean ${meant}?`,
  };
}

function wanted(path: readonly string[], schema: z.ZodType): string {
  const [found] = schemasAt(schema, path);
  const described =
    found?.description ??
    (found instanceof z.ZodOptional ? (found.unwrap() as z.ZodType).description : undefined);
  const keys = keysAt(schema, path);
  if (described !== undefined) return described;
  return keys.length > 0 ? `Settings there: ${keys.join(', ')}.` : 'See lectern config schema.';
}

function keysAt(schema: z.ZodType, path: readonly string[]): readonly string[] {
  return schemasAt(schema, path).flatMap((found) => {
    const inner = alternatives(found);
    return inner.flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : []));
  });
}

function schemasAt(schema: z.ZodType, path: readonly string[]): readonly z.ZodType[] {
  const [first, ...rest] = path;
  if (first === undefined) return [schema];
  return alternatives(schema).flatMap((one) => {
    const inner: unknown =
      one instanceof z.ZodObject ? one.shape[first] : one instanceof z.ZodRecord ? one.valueType : undefined;
    return inner instanceof z.ZodType ? schemasAt(inner, rest) : [];
  });
}

function alternatives(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodOptional) return alternatives(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => alternatives(option as z.ZodType));
  return [schema];
}
