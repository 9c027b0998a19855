import * as z from 'zod';
import {
  type BaseFile,
  filtersOf,
  namesView,
  type SourceExpression,
} from '../formats/bases/file/base-file.ts';
import { children, type Expression } from '../formats/bases/syntax/ast.ts';
import { ExpressionError } from '../formats/bases/syntax/expression-error.ts';
import type { Pacing } from '../formats/bases/view/pacing.ts';
import { readPropertyId } from '../formats/bases/view/property-id.ts';
import { closest } from '../nearest.ts';
import { extension } from '../notes/path.ts';
import type { VaultSession } from '../vault/session.ts';
import { operation } from './operation.ts';
import { expressionsIn, pacingOf, problemsOf, runBase } from './shared/base-run.ts';
import { loadBase } from './shared/base-source.ts';
import { propertyCensus, propertyKey } from './shared/property-census.ts';
import { counted, lines, noticed, paragraphs } from './shared/rendering.ts';

const MAX_SHOWN = 100;
/** Limit of views whose rows are counted. */
const MAX_COUNTED = 50;
/** Limit of links to the base that are checked. */
const MAX_LINKS = 1000;

export const baseCheck = operation({
  name: 'base_check',
  title: 'Check a base',
  description:
    'Check every expression of a base without reading its rows: what is wrong and where (line and column), properties that no note has with the one probably meant, how many rows each view has, and links to views that are not there. Call it after writing a base.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['path'],
  toolset: 'bases',
  input: z.object({
    path: z.string().min(1).optional().describe('A .base file, or a note with a base in it'),
    block: z.number().int().min(1).optional().describe('Which base of the note, from 1'),
    source: z.string().min(1).max(100_000).optional().describe('A base as YAML, in place of path'),
  }),
  output: z.object({
    path: z.string().optional(),
    expressions: z.number().int(),
    problems: z.array(
      z.object({ where: z.string(), line: z.number().int(), column: z.number().int(), message: z.string() }),
    ),
    unknown_properties: z.array(
      z.object({ name: z.string(), line: z.number().int(), meant: z.string().optional() }),
    ),
    /** Rows are undefined for a view that cannot be evaluated, and for views beyond the first fifty. */
    views: z.array(z.object({ name: z.string(), type: z.string(), rows: z.number().int().optional() })),
    /** Links that name a view the base does not have. */
    unresolved_views: z.array(
      z.object({ view: z.string(), path: z.string(), line: z.number().int(), meant: z.string().optional() }),
    ),
    notice: z.string().optional(),
  }),
  rest: { method: 'POST', path: '/v1/bases/check' },
  restByPath: { method: 'GET', path: '/v1/bases/{path}/check' },
  cli: { noun: 'base', verb: 'check', positionals: ['path'] },
  summarise: (out) =>
    `${out.path ?? 'source'}: ${counted(out.expressions, 'expression')}, ${counted(out.problems.length, 'problem')}, ${counted(out.views.length, 'view')}.${noticed(out.notice)}`,
  render: (out) =>
    paragraphs(
      lines(
        out.problems,
        ({ where, line, column, message }) => `line ${line}:${column}, ${where}: ${message}`,
      ),
      lines(
        out.unknown_properties,
        ({ name, line, meant }) =>
          `line ${line}: no note has ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      ),
      lines([...out.views.entries()], ([at, { name, type, rows }]) => {
        const unknown = at < MAX_COUNTED ? 'broken' : 'not counted';
        return `view ${name} (${type}): ${rows === undefined ? unknown : counted(rows, 'row')}`;
      }),
      lines(
        out.unresolved_views,
        ({ view, path, line, meant }) =>
          `${path}:${line} links to view ${view}, which is not there${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      ),
    ),
  async run(vault, input, { signal }) {
    const { base, path, self } = await loadBase(vault, input);
    const formulas = new Set(base.formulas.keys());
    const expressions = allExpressions(base);
    const pacing = pacingOf(signal);
    const problems: { where: string; line: number; column: number; message: string }[] = [];
    for (const expression of expressions) {
      const { where, line, column } = expression;
      for (const error of problemsOf(expression, formulas))
        problems.push({ where, line, column: column + error.start, message: error.message });
      if (pacing.isDue()) await pacing.pause();
    }
    // While the index is being built, an unknown name is not reported.
    const isWhole = vault.staleness() === undefined;
    const names = (await propertyCensus(vault, signal)).map(({ name }) => name);
    const views: { name: string; type: string; rows?: number }[] = [];
    for (const [at, view] of base.views.entries()) {
      if (pacing.isDue()) await pacing.pause();
      const filters = filtersOf(base, view).flatMap(expressionsIn);
      const isBroken = filters.some((filter) => problemsOf(filter, formulas).length > 0);
      const result =
        isBroken || at >= MAX_COUNTED
          ? undefined
          : await runBase(vault, {
              base,
              view: { ...view, sort: [], limit: 0, groupBy: undefined },
              columns: ['file.path'],
              self,
              page: { start: 0, limit: 0 },
              signal,
            });
      views.push({ name: view.name, type: view.type, ...(result && { rows: result.total }) });
    }
    const notices = [
      ...(base.views.length > MAX_COUNTED
        ? [`the rows of the first ${MAX_COUNTED} views only were counted`]
        : []),
      ...base.warnings,
    ];
    return {
      ...(path !== undefined && { path }),
      expressions: expressions.length,
      problems: problems.slice(0, MAX_SHOWN),
      unknown_properties: isWhole ? await unknownProperties(expressions, base, names, pacing) : [],
      views,
      unresolved_views: path === undefined ? [] : await unresolvedViews(vault, base, path),
      ...(notices.length > 0 && { notice: notices.slice(0, 5).join('; ') }),
    };
  },
});

/** `![[x.base#View]]` for views the base does not have. A note that contains a base has headings instead. */
async function unresolvedViews(vault: VaultSession, base: BaseFile, path: string) {
  if (extension(path) !== 'base') return [];
  const { items } = await vault.backlinks(path, { limit: MAX_LINKS });
  const names = base.views.map(({ name }) => name);
  return items
    .filter(({ subpath }) => !namesView(base, subpath))
    .slice(0, MAX_SHOWN)
    .map(({ subpath, source, line }) => {
      const view = subpath.replace(/^#/, '');
      const meant = closest(view, names);
      return { view, path: source, line, ...(meant !== undefined && { meant }) };
    });
}

function allExpressions(base: BaseFile): readonly SourceExpression[] {
  const filters = [base.filter, ...base.views.map(({ filter }) => filter)];
  return [
    ...filters.flatMap((filter) => (filter === undefined ? [] : expressionsIn(filter))),
    ...base.formulas.values(),
    ...base.summaries.values(),
  ];
}

/** The first names in expressions and columns that are no note's property. */
async function unknownProperties(
  expressions: readonly SourceExpression[],
  base: BaseFile,
  names: readonly string[],
  pacing: Pacing,
) {
  const known = new Set(names.map(propertyKey));
  const found = new Map<string, { name: string; line: number; meant?: string }>();
  const look = async (name: string, line: number) => {
    const key = propertyKey(name);
    if (found.size === MAX_SHOWN || known.has(key) || found.has(key)) return;
    if (pacing.isDue()) await pacing.pause();
    const meant = closest(name, names);
    found.set(key, { name, line, ...(meant !== undefined && { meant }) });
  };
  for (const { parsed, line } of expressions)
    if (!(parsed instanceof ExpressionError)) for (const name of propertiesIn(parsed)) await look(name, line);
  for (const { order, sort } of base.views)
    for (const id of [...order, ...sort.map(({ property }) => property)]) {
      const { kind, name } = readPropertyId(id);
      if (kind === 'note') await look(name, 1);
    }
  return [...found.values()];
}

/** Names with a meaning other than a property. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  'file',
  'note',
  'formula',
  'this',
  'value',
  'index',
  'acc',
  'values',
]);

function propertiesIn(expression: Expression): readonly string[] {
  const found: string[] = [];
  const waiting: Expression[] = [expression];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (each.type === 'name' && !OTHER_NAMES.has(each.name)) found.push(each.name);
    if (each.type === 'member' && each.object.type === 'name' && each.object.name === 'note')
      found.push(each.name);
    for (const child of children(each)) {
      // A function's name is not a property.
      if (each.type === 'call' && child === each.callee && child.type === 'name') continue;
      waiting.push(child);
    }
  }
  return found;
}
