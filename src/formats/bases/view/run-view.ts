import { type EvaluationScope, Evaluator } from '../evaluate/evaluator.ts';
import { type FileFacts, NotLoaded } from '../evaluate/facts.ts';
import type { BaseFile, BaseFilter, BaseView, SourceExpression } from '../file/base-file.ts';
import type { Expression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { isEqual, sortOrder } from '../values/compare.ts';
import type { DateValue } from '../values/date-value.ts';
import { isList, isTruthy, type Value } from '../values/value.ts';
import type { LoadedLookup } from './loaded-lookup.ts';
import { canonicalId, columnExpression } from './property-id.ts';
import { builtInSummary, unknownSummary } from './summaries.ts';

/** How often one expression may stop to have something loaded for one row. */
const MAX_LOADS = 5000;

export type Cell = Value | ExpressionError;

export interface ViewRow {
  readonly facts: FileFacts;
  readonly cells: readonly Cell[];
}

export interface ViewGroup {
  /** Null for the rows whose property is empty. */
  readonly key: Value;
  readonly rows: readonly ViewRow[];
  readonly summaries: ReadonlyMap<string, Cell>;
}

export interface ViewResult {
  /** Property ids, as the view names them. */
  readonly columns: readonly string[];
  /** In order; at most the view's limit. */
  readonly rows: readonly ViewRow[];
  /** Rows that match, before the limit. */
  readonly total: number;
  readonly groups: readonly ViewGroup[] | undefined;
  /** Property id → summary over all rows shown. */
  readonly summaries: ReadonlyMap<string, Cell>;
  /** Property id → which summary it is. */
  readonly summaryNames: ReadonlyMap<string, string>;
  /** Filters that had no value for some file, which then did not match: the message and how often. */
  readonly filterProblems: readonly { readonly message: string; readonly files: number }[];
}

export interface ViewRun {
  readonly base: BaseFile;
  readonly view: BaseView;
  /** Filters besides the view's own: all must hold. */
  readonly extra?: readonly SourceExpression[];
  /** Column ids in place of the view's. */
  readonly columns?: readonly string[];
  /** The file that `this` stands for. */
  readonly self?: FileFacts;
  readonly now: DateValue;
  readonly lookup: LoadedLookup;
  /** Files that may match. */
  readonly candidates: AsyncIterable<FileFacts>;
  /** Called between rows: gives way to other work and throws when the query is to end. */
  readonly pause: () => Promise<void>;
}

/** Works out one view: filters, sorts, cuts, groups and sums up. */
export async function runView(run: ViewRun): Promise<ViewResult> {
  return new ViewRunner(run).result();
}

class ViewRunner {
  readonly #run: ViewRun;
  readonly #formulas: ReadonlyMap<string, Expression | ExpressionError>;
  readonly #columns: readonly string[];
  readonly #problems = new Map<string, number>();
  /** Of the row at hand, which may be worked out more than once. */
  readonly #rowProblems = new Set<string>();

  constructor(run: ViewRun) {
    this.#run = run;
    this.#formulas = new Map([...run.base.formulas].map(([name, { parsed }]) => [name, parsed] as const));
    const order = run.columns ?? run.view.order;
    this.#columns = order.length > 0 ? order : ['file.name'];
  }

  async result(): Promise<ViewResult> {
    const { view, pause } = this.#run;
    const matching = await this.#matching();
    const sorted = await this.#sorted(matching);
    const shown = view.limit > 0 ? sorted.slice(0, view.limit) : sorted;
    const rows: ViewRow[] = [];
    for (const facts of shown) {
      rows.push({ facts, cells: await this.#cells(facts, this.#columns.map(columnExpression)) });
      await pause();
    }
    return {
      columns: this.#columns,
      rows,
      total: matching.length,
      groups: await this.#groups(rows),
      summaries: await this.#summaries(rows),
      summaryNames: view.summaries,
      filterProblems: [...this.#problems].map(([message, files]) => ({ message, files })),
    };
  }

  async #matching(): Promise<readonly FileFacts[]> {
    const { base, view, extra = [], candidates, lookup, pause } = this.#run;
    const filters: BaseFilter[] = [
      ...(base.filter === undefined ? [] : [base.filter]),
      ...(view.filter === undefined ? [] : [view.filter]),
      ...extra.map((expression) => ({ kind: 'expression' as const, expression })),
    ];
    const matching: FileFacts[] = [];
    for await (const facts of candidates) {
      lookup.remember(facts);
      const evaluator = this.#evaluator(facts);
      const holds = await this.#whole(() => {
        this.#rowProblems.clear();
        return filters.every((filter) => this.#holds(filter, evaluator));
      });
      for (const message of this.#rowProblems)
        this.#problems.set(message, (this.#problems.get(message) ?? 0) + 1);
      if (holds) matching.push(facts);
      await pause();
    }
    return matching;
  }

  #holds(filter: BaseFilter, evaluator: Evaluator): boolean {
    switch (filter.kind) {
      case 'and':
        return filter.filters.every((inner) => this.#holds(inner, evaluator));
      case 'or':
        return filter.filters.some((inner) => this.#holds(inner, evaluator));
      case 'not':
        return !filter.filters.some((inner) => this.#holds(inner, evaluator));
      case 'expression':
        return this.#isTrue(filter.expression, evaluator);
    }
  }

  /** A filter without a value lets nothing through, and is told. */
  #isTrue({ parsed, where }: SourceExpression, evaluator: Evaluator): boolean {
    try {
      if (parsed instanceof ExpressionError) throw parsed;
      return isTruthy(evaluator.evaluate(parsed));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.#rowProblems.add(`${where}: ${error.message}`);
      return false;
    }
  }

  async #sorted(matching: readonly FileFacts[]): Promise<readonly FileFacts[]> {
    const { sort } = this.#run.view;
    if (sort.length === 0) return matching;
    const expressions = sort.map(({ property }) => columnExpression(property));
    const keyed: { facts: FileFacts; keys: readonly Cell[] }[] = [];
    for (const facts of matching) {
      keyed.push({ facts, keys: await this.#cells(facts, expressions) });
      await this.#run.pause();
    }
    // The order of a stable sort settles what all keys leave equal.
    return keyed
      .sort((one, other) => {
        for (const [at, { direction }] of sort.entries()) {
          const order = sortOrder(plain(one.keys[at]), plain(other.keys[at]), direction === 'DESC' ? -1 : 1);
          if (order !== 0) return order;
        }
        return 0;
      })
      .map(({ facts }) => facts);
  }

  async #groups(rows: readonly ViewRow[]): Promise<readonly ViewGroup[] | undefined> {
    const { groupBy } = this.#run.view;
    if (groupBy === undefined) return undefined;
    const groups: Group[] = [];
    const plainKeys = new Map<Value, Group>();
    for (const row of rows) {
      const [key = null] = await this.#cells(row.facts, [columnExpression(groupBy.property)]);
      const value = plain(key);
      const keys = isList(value) ? (value.length === 0 ? [null] : value) : [value === '' ? null : value];
      for (const each of keys) await this.#whole(() => place(groups, plainKeys, each, row, this.#run.lookup));
      await this.#run.pause();
    }
    groups.sort((one, other) => sortOrder(one.key, other.key, groupBy.direction === 'DESC' ? -1 : 1));
    return Promise.all(
      groups.map(async ({ key, rows: inGroup }) => ({
        key,
        rows: inGroup,
        summaries: await this.#summaries(inGroup),
      })),
    );
  }

  async #summaries(rows: readonly ViewRow[]): Promise<ReadonlyMap<string, Cell>> {
    const found = new Map<string, Cell>();
    for (const [id, name] of this.#run.view.summaries) found.set(id, await this.#summary(id, name, rows));
    return found;
  }

  async #summary(id: string, name: string, rows: readonly ViewRow[]): Promise<Cell> {
    const at = this.#columns.findIndex((column) => canonicalId(column) === canonicalId(id));
    const values: Value[] = [];
    for (const row of rows) {
      const [cell = null] = at < 0 ? await this.#cells(row.facts, [columnExpression(id)]) : [row.cells[at]];
      values.push(plain(cell));
    }
    const { lookup, base } = this.#run;
    const custom = base.summaries.get(name)?.parsed;
    if (custom === undefined)
      return this.#whole(() => builtInSummary(name, values, lookup) ?? null).then((value) =>
        value === null && builtInSummary(name, [], lookup) === undefined ? unknownSummary(name) : value,
      );
    if (custom instanceof ExpressionError) return custom;
    const [first] = rows;
    const facts = first?.facts ?? NO_FILE;
    return this.#cell(new Evaluator({ ...this.#scope(facts), values }), custom);
  }

  async #cells(facts: FileFacts, expressions: readonly Expression[]): Promise<readonly Cell[]> {
    const evaluator = this.#evaluator(facts);
    const cells: Cell[] = [];
    for (const expression of expressions) cells.push(await this.#cell(evaluator, expression));
    return cells;
  }

  async #cell(evaluator: Evaluator, expression: Expression): Promise<Cell> {
    return this.#whole(() => {
      try {
        return evaluator.evaluate(expression);
      } catch (error) {
        if (error instanceof ExpressionError) return error;
        throw error;
      }
    });
  }

  /** Runs again whenever something had to be loaded first. */
  async #whole<T>(work: () => T): Promise<T> {
    for (let loads = 0; ; loads++) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof NotLoaded) || loads >= MAX_LOADS) throw error;
        await this.#run.lookup.load(error.need);
      }
    }
  }

  #evaluator(facts: FileFacts): Evaluator {
    return new Evaluator(this.#scope(facts));
  }

  #scope(file: FileFacts): EvaluationScope {
    const { self, lookup, now } = this.#run;
    return { file, self, formulas: this.#formulas, lookup, now };
  }
}

const NO_FILE: FileFacts = { path: '', size: 0, ctimeMs: 0, mtimeMs: 0, properties: {}, tags: [] };

interface Group {
  readonly key: Value;
  readonly rows: ViewRow[];
}

/** Texts and numbers are found at once; a link or a date is compared with each group there is. */
function place(
  groups: Group[],
  plainKeys: Map<Value, Group>,
  key: Value,
  row: ViewRow,
  lookup: LoadedLookup,
): void {
  const isPlain = key === null || typeof key !== 'object';
  const found = isPlain ? plainKeys.get(key) : groups.find((group) => isEqual(group.key, key, lookup));
  if (found !== undefined) {
    if (found.rows.at(-1) !== row) found.rows.push(row);
    return;
  }
  const group = { key, rows: [row] };
  groups.push(group);
  if (isPlain) plainKeys.set(key, group);
}

/** A cell without a value sorts and counts as empty. */
function plain(cell: Cell | undefined): Value {
  return cell === undefined || cell instanceof ExpressionError ? null : cell;
}
