import { type EvaluationScope, Evaluator } from '../evaluate/evaluator.ts';
import { type FileFacts, NO_FILE, NotLoaded } from '../evaluate/facts.ts';
import {
  type BaseFile,
  type BaseFilter,
  type BaseView,
  filtersOf,
  type SourceExpression,
} from '../file/base-file.ts';
import type { Expression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { isEqual, sortOrder } from '../values/compare.ts';
import type { DateValue } from '../values/date-value.ts';
import { isList, isTruthy, type Value } from '../values/value.ts';
import type { LoadedLookup } from './loaded-lookup.ts';
import type { Pacing } from './pacing.ts';
import { columnExpression } from './property-id.ts';
import { sortedInSlices } from './sort.ts';
import { builtInSummary, unknownSummary } from './summaries.ts';

/** Most loads of missing data during one evaluation for one row. */
const MAX_LOADS = 5000;

/** The value of a cell, or the error of its expression. */
export type Cell = Value | ExpressionError;

export interface ViewRow {
  readonly facts: FileFacts;
  readonly cells: readonly Cell[];
  /** Key of the row's group in a grouped view; a file has one row in each of its groups. */
  readonly group?: Value;
}

export interface ViewGroup {
  /** null for rows whose property is empty. */
  readonly key: Value;
  readonly files: readonly FileFacts[];
  readonly summaries: ReadonlyMap<string, Cell>;
}

export interface ViewResult {
  /** Property ids as the view writes them. */
  readonly columns: readonly string[];
  /** Rows of the requested page, in the view's order. */
  readonly rows: readonly ViewRow[];
  /** Number of rows of the whole view: its files up to the limit, counted once per group. */
  readonly shown: number;
  /** Number of matching files, before the limit. */
  readonly total: number;
  readonly groups: readonly ViewGroup[] | undefined;
  /** Property id → summary over all rows of the view. */
  readonly summaries: ReadonlyMap<string, Cell>;
  /** Property id → name of its summary. */
  readonly summaryNames: ReadonlyMap<string, string>;
  /** Filter errors with the number of files they occurred for; such a filter does not hold. */
  readonly filterProblems: readonly { readonly message: string; readonly files: number }[];
}

/** The input of {@link runView}. */
export interface ViewRun {
  readonly base: BaseFile;
  readonly view: BaseView;
  /** Additional filters; all must hold. */
  readonly extra?: readonly SourceExpression[];
  /** Column ids that replace the view's. */
  readonly columns?: readonly string[];
  /** The rows whose cells are computed; all by default. */
  readonly page?: { readonly start: number; readonly limit: number };
  /** The file that `this` refers to. */
  readonly self?: FileFacts;
  readonly now: DateValue;
  readonly lookup: LoadedLookup;
  /** Files that may match, in batches. */
  readonly candidates: AsyncIterable<readonly FileFacts[]>;
  readonly pacing: Pacing;
}

/**
 * Runs one view: filters, sorts, limits and groups its files, then computes summaries and the cells of the
 * page. An error of an expression becomes the cell's value.
 *
 * @throws NotLoaded when one evaluation needs more than 5,000 loads; also what `pacing` and the loader throw
 */
export async function runView(run: ViewRun): Promise<ViewResult> {
  return new ViewRunner(run).result();
}

/** A matching file with the evaluator that caches its formulas. */
interface Match {
  readonly facts: FileFacts;
  readonly evaluator: Evaluator;
}

class ViewRunner {
  readonly #run: ViewRun;
  readonly #formulas: ReadonlyMap<string, Expression | ExpressionError>;
  readonly #columns: readonly string[];
  readonly #problems = new Map<string, number>();
  /** Filter errors of the current row; a set, as the row may be evaluated more than once. */
  readonly #rowProblems = new Set<string>();

  constructor(run: ViewRun) {
    this.#run = run;
    this.#formulas = new Map([...run.base.formulas].map(([name, { parsed }]) => [name, parsed] as const));
    const order = run.columns ?? run.view.order;
    this.#columns = order.length > 0 ? order : ['file.name'];
  }

  async result(): Promise<ViewResult> {
    const { view, page } = this.#run;
    const matching = await this.#matching();
    const sorted = await this.#sorted(matching);
    const shown = view.limit > 0 ? sorted.slice(0, view.limit) : sorted;
    const groups = await this.#groups(shown);
    const rows: readonly Placed[] =
      groups?.flatMap(({ key, rows: own }) => own.map((match) => ({ match, group: key }))) ??
      shown.map((match) => ({ match }));
    const wanted = page === undefined ? rows : rows.slice(page.start, page.start + page.limit);
    const cells = await this.#keyed(
      wanted.map(({ match }) => match),
      this.#columns.map(columnExpression),
    );
    return {
      columns: this.#columns,
      rows: wanted.map(({ match, ...place }, at) => ({
        facts: match.facts,
        cells: cells[at]?.keys ?? [],
        ...place,
      })),
      shown: rows.length,
      total: matching.length,
      groups: groups && (await this.#summedUp(groups)),
      summaries: await this.#summaries(shown),
      summaryNames: view.summaries,
      filterProblems: [...this.#problems].map(([message, files]) => ({ message, files })),
    };
  }

  async #matching(): Promise<readonly Match[]> {
    const { base, view, extra, candidates, pacing } = this.#run;
    const filters = filtersOf(base, view, extra);
    const matching: Match[] = [];
    for await (const batch of candidates) {
      for (const facts of batch) {
        const match = { facts, evaluator: new Evaluator(this.#scope(facts)) };
        const held = this.#of(match, () => this.#holdAll(filters, match.evaluator));
        const holds = held instanceof Promise ? await held : held;
        if (this.#rowProblems.size > 0) this.#countProblems();
        if (holds) matching.push(match);
        if (pacing.isDue()) await pacing.pause();
      }
    }
    return matching;
  }

  #holdAll(filters: readonly BaseFilter[], evaluator: Evaluator): boolean {
    this.#rowProblems.clear();
    return filters.every((filter) => this.#holds(filter, evaluator));
  }

  #countProblems(): void {
    for (const message of this.#rowProblems)
      this.#problems.set(message, (this.#problems.get(message) ?? 0) + 1);
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

  /** Whether a filter's value is truthy; false for an error, which is recorded. */
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

  async #sorted(matching: readonly Match[]): Promise<readonly Match[]> {
    const { sort } = this.#run.view;
    if (sort.length === 0) return matching;
    const directions = sort.map(({ direction }) => (direction === 'DESC' ? -1 : 1));
    const keyed = await this.#keyed(
      matching,
      sort.map(({ property }) => columnExpression(property)),
    );
    const compare = (one: Keyed, other: Keyed): number => {
      for (let at = 0; at < directions.length; at++) {
        const order = sortOrder(plain(one.keys[at]), plain(other.keys[at]), directions[at] ?? 1);
        if (order !== 0) return order;
      }
      return 0;
    };
    return (await sortedInSlices(keyed, compare, this.#run.pacing)).map(({ match }) => match);
  }

  async #groups(rows: readonly Match[]): Promise<readonly Group[] | undefined> {
    const { groupBy } = this.#run.view;
    if (groupBy === undefined) return undefined;
    const groups: Group[] = [];
    const plainKeys = new Map<Value, Group>();
    for (const { match, keys } of await this.#keyed(rows, [columnExpression(groupBy.property)])) {
      const value = plain(keys[0]);
      const own = isList(value) ? (value.length === 0 ? [null] : value) : [value === '' ? null : value];
      for (const each of own)
        await this.#of(match, () => place(groups, plainKeys, each, match, this.#run.lookup));
      if (this.#run.pacing.isDue()) await this.#run.pacing.pause();
    }
    return groups.sort((one, other) => sortOrder(one.key, other.key, groupBy.direction === 'DESC' ? -1 : 1));
  }

  async #summedUp(groups: readonly Group[]): Promise<readonly ViewGroup[]> {
    const found: ViewGroup[] = [];
    for (const { key, rows } of groups)
      found.push({ key, files: rows.map(({ facts }) => facts), summaries: await this.#summaries(rows) });
    return found;
  }

  async #summaries(rows: readonly Match[]): Promise<ReadonlyMap<string, Cell>> {
    const found = new Map<string, Cell>();
    for (const [id, name] of this.#run.view.summaries) found.set(id, await this.#summary(id, name, rows));
    return found;
  }

  async #summary(id: string, name: string, rows: readonly Match[]): Promise<Cell> {
    const keyed = await this.#keyed(rows, [columnExpression(id)]);
    const values = keyed.map(({ keys }) => plain(keys[0]));
    const { lookup, base } = this.#run;
    const custom = base.summaries.get(name)?.parsed;
    const facts = rows[0]?.facts ?? NO_FILE;
    if (custom === undefined) {
      if (builtInSummary(name, [], lookup) === undefined) return unknownSummary(name);
      return this.#whole(() => builtInSummary(name, values, lookup) ?? null);
    }
    if (custom instanceof ExpressionError) return custom;
    return this.#cell({ facts, evaluator: new Evaluator({ ...this.#scope(facts), values }) }, custom);
  }

  /** The values of the expressions for each match. */
  async #keyed(matches: readonly Match[], expressions: readonly Expression[]): Promise<readonly Keyed[]> {
    const { pacing } = this.#run;
    const keyed: Keyed[] = [];
    for (const match of matches) {
      const keys: Cell[] = [];
      for (const expression of expressions) {
        const cell = this.#cell(match, expression);
        keys.push(cell instanceof Promise ? await cell : cell);
      }
      keyed.push({ match, keys });
      if (pacing.isDue()) await pacing.pause();
    }
    return keyed;
  }

  #cell(match: Match, expression: Expression): Cell | Promise<Cell> {
    return this.#of(match, () => {
      try {
        return match.evaluator.evaluate(expression);
      } catch (error) {
        if (error instanceof ExpressionError) return error;
        throw error;
      }
    });
  }

  #of<T>({ facts }: Match, work: () => T): T | Promise<T> {
    this.#run.lookup.at(facts);
    return this.#whole(work);
  }

  /** Runs the work synchronously when its data is loaded, which holds for nearly every row. */
  #whole<T>(work: () => T): T | Promise<T> {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NotLoaded)) throw error;
      return this.#loading(error, work);
    }
  }

  /** Loads the missing data and runs the work again until nothing is missing. */
  async #loading<T>(first: NotLoaded, work: () => T): Promise<T> {
    const { pacing } = this.#run;
    let missing = first;
    for (let loads = 0; ; loads++) {
      if (loads >= MAX_LOADS) throw missing;
      await this.#run.lookup.load(missing.need);
      if (pacing.isDue()) await pacing.pause();
      try {
        return work();
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error;
        missing = error;
      }
    }
  }

  #scope(file: FileFacts): EvaluationScope {
    const { self, lookup, now } = this.#run;
    return { file, self, formulas: this.#formulas, lookup, now };
  }
}

/** A match with the key of its group. */
interface Placed {
  readonly match: Match;
  readonly group?: Value;
}

interface Keyed {
  readonly match: Match;
  readonly keys: readonly Cell[];
}

interface Group {
  readonly key: Value;
  readonly rows: Match[];
}

/** Adds a row to its group: primitive keys by a map, a link or a date by comparing it with each group's key. */
function place(
  groups: Group[],
  plainKeys: Map<Value, Group>,
  key: Value,
  row: Match,
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

/** The value of a cell; null for an error, which sorts and counts as empty. */
function plain(cell: Cell | undefined): Value {
  return cell === undefined || cell instanceof ExpressionError ? null : cell;
}
