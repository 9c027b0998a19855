import type { Expression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { parseExpression } from '../syntax/parser.ts';
import { toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { isList, ObjectValue, type Value } from '../values/value.ts';
import { Evaluator } from './evaluator.ts';
import type { FileFacts, LinkFacts, Lookup } from './facts.ts';

/** A small vault for expressions: files by path, links by name. */
export type TestFile = FileFacts & { readonly links?: readonly LinkFacts[] };

export function lookupOf(files: readonly TestFile[]): Lookup {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    facts: (path) => byPath.get(path),
    links: (path) => byPath.get(path)?.links ?? [],
    backlinks: (path) =>
      files.filter(({ links = [] }) => links.some(({ target }) => target === path)).map((file) => file.path),
    resolve: (target) => {
      const wanted = target.toLowerCase().replace(/\.md$/, '');
      return [...byPath.keys()].find((path) => {
        const bare = path.toLowerCase().replace(/\.md$/, '');
        return bare === wanted || bare.endsWith(`/${wanted}`);
      });
    },
  };
}

export function factsOf(path: string, more: Partial<TestFile> = {}): TestFile {
  return { path, size: 10, ctimeMs: 0, mtimeMs: 0, properties: {}, tags: [], ...more };
}

export interface EvaluateOptions {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly formulas?: Readonly<Record<string, string>>;
  readonly self?: TestFile;
  readonly file?: TestFile;
  readonly others?: readonly TestFile[];
}

/** The value of an expression for assertions: dates and links as text, `Error: …` for an error. */
export function evaluated(text: string, options: EvaluateOptions = {}): unknown {
  const file = options.file ?? factsOf('Notes/row.md', { properties: options.properties ?? {} });
  const files = [file, ...(options.others ?? []), ...(options.self === undefined ? [] : [options.self])];
  const formulas = new Map<string, Expression>(
    Object.entries(options.formulas ?? {}).map(([name, formula]) => [name, parseExpression(formula)]),
  );
  const now = new DateValue(Date.UTC(2026, 10, 29, 13, 30, 5), true);
  const evaluator = new Evaluator({ file, self: options.self, formulas, lookup: lookupOf(files), now });
  try {
    return shown(evaluator.evaluate(parseExpression(text)));
  } catch (error) {
    if (error instanceof ExpressionError) return `Error: ${error.message}`;
    throw error;
  }
}

function shown(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(shown);
  if (value instanceof ObjectValue)
    return Object.fromEntries([...value.entries].map(([key, inner]) => [key, shown(inner)]));
  if (value.type === 'duration') return `${value.totalMs} ms`;
  return `${value.type}:${toText(value)}`;
}
