import { setImmediate as nextTurn } from 'node:timers/promises';
import { LecternError } from '../../errors.ts';
import type { FileFacts } from '../../formats/bases/evaluate/facts.ts';
import {
  type BaseFile,
  type BaseView,
  filtersOf,
  parsed,
  type SourceExpression,
} from '../../formats/bases/file/base-file.ts';
import { ExpressionError } from '../../formats/bases/syntax/expression-error.ts';
import { DateValue } from '../../formats/bases/values/date-value.ts';
import { checkExpression } from '../../formats/bases/view/check.ts';
import { type FactLoader, LoadedLookup } from '../../formats/bases/view/loaded-lookup.ts';
import { narrowingOf } from '../../formats/bases/view/narrowing.ts';
import type { Pacing } from '../../formats/bases/view/pacing.ts';
import { runView, type ViewResult } from '../../formats/bases/view/run-view.ts';
import type { ListFilter, ListSort, MatchingFile } from '../../index/note-index.ts';
import type { VaultSession } from '../../vault/session.ts';
import { counted } from './rendering.ts';

const EVERY_KIND: NonNullable<ListFilter['kinds']> = ['note', 'canvas', 'base', 'attachment'];
/** Limit of files whose paths differ only in case or Unicode form. */
const SPELLINGS = 50;
/** Time slice before other work gets a turn, ms. */
const SLICE_MS = 8;
/** A query that takes longer, ms, is stopped. */
const LIMIT_MS = 20_000;

export interface BaseRun {
  readonly base: BaseFile;
  readonly view: BaseView;
  readonly extra?: readonly SourceExpression[];
  readonly columns?: readonly string[];
  /** Path of the file that `this` stands for. */
  readonly self?: string | undefined;
  /** Additional conditions and the order of the files; by default all, by path. */
  readonly given?: ListFilter;
  readonly order?: ListSort;
  /** The rows whose cells are wanted; all by default. */
  readonly page?: { readonly start: number; readonly limit: number };
  readonly signal: AbortSignal;
}

/** Evaluates a view over the files the caller may see. */
export async function runBase(vault: VaultSession, run: BaseRun): Promise<ViewResult> {
  const { base, view, extra = [], columns, self, given = { kinds: EVERY_KIND }, order, page, signal } = run;
  const loader = loaderOf(vault);
  const facts = self === undefined ? undefined : await loader.facts(self);
  const now = DateValue.ofInstant(Date.now());
  const condition = narrowingOf(base, view, extra, { self: facts, now });
  const lookup = new LoadedLookup(loader);
  if (facts !== undefined) lookup.remember(facts);
  return runView({
    base,
    view,
    extra,
    now,
    lookup,
    candidates: filesOf(vault, { ...given, ...(condition && { where: condition }) }, order),
    pacing: pacingOf(signal),
    ...(page && { page }),
    ...(columns && { columns }),
    ...(facts && { self: facts }),
  });
}

/** An expression from the caller, evaluated in addition to the base's own. */
export function givenExpression(text: string, where: string): SourceExpression {
  return { text, where, line: 1, column: 1, parsed: parsed(text) };
}

/**
 * Refuses a view with expressions that are invalid for every note; errors of single notes stay in their
 * cells.
 * @throws LecternError `invalid_input` with the place of the first one
 */
export function refuseBroken(base: BaseFile, view: BaseView, extra: readonly SourceExpression[]): void {
  const formulas = new Set(base.formulas.keys());
  for (const expression of filtersOf(base, view, extra).flatMap(expressionsIn)) {
    const [error] = problemsOf(expression, formulas);
    if (error === undefined) continue;
    const { where, line, column } = expression;
    throw new LecternError('invalid_input', `${where}, line ${line}: ${error.message}`, {
      details: { where, line, column: column + error.start, expression: expression.text.slice(0, 200) },
      next: 'Correct the expression; base_check shows every one of the base.',
    });
  }
}

/** The errors of an expression that are the same for every file. */
export function problemsOf(
  { parsed: expression }: SourceExpression,
  formulas: ReadonlySet<string>,
): readonly ExpressionError[] {
  return expression instanceof ExpressionError ? [expression] : checkExpression(expression, formulas);
}

/** All expressions in a filter, nested ones included. */
export function expressionsIn(filter: NonNullable<BaseFile['filter']>): readonly SourceExpression[] {
  return filter.kind === 'expression' ? [filter.expression] : filter.filters.flatMap(expressionsIn);
}

/** Filters that had no value for some files, as notices. */
export function problemNotices({ filterProblems }: ViewResult): readonly string[] {
  return filterProblems
    .slice(0, 3)
    .map(({ message, files }) => `${message} (${counted(files, 'file')} left out)`);
}

/** Loads the data that expressions need through the caller's own session. */
function loaderOf(vault: VaultSession): FactLoader {
  return {
    async facts(path) {
      const { items } = await vault.list({ kinds: EVERY_KIND, where: { kind: 'path', path } }, 'path', {
        limit: SPELLINGS,
      });
      const record = items.find((item) => item.path === path);
      return record && new IndexFacts(record);
    },
    async links(path) {
      const page = await vault.links(path);
      return page.map(({ written, target, embed }) => ({ written, target, embed }));
    },
    backlinks: (path) => vault.backlinkSources(path),
    resolve: (target, source) => vault.resolve(source, target),
  };
}

/** All files that a filter matches, page by page. */
export async function* filesOf(
  vault: VaultSession,
  filter: ListFilter,
  order: ListSort = 'path',
): AsyncIterable<readonly FileFacts[]> {
  for await (const batch of vault.matching(filter, order)) yield batch.map((file) => new IndexFacts(file));
}

/** The index's data of a file, in the form expressions use. */
class IndexFacts implements FileFacts {
  readonly path: string;
  readonly size: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  readonly #file: MatchingFile;

  constructor(file: MatchingFile) {
    this.path = file.path;
    this.size = file.size;
    this.ctimeMs = file.birthtimeMs;
    this.mtimeMs = file.mtimeMs;
    this.#file = file;
  }

  get properties(): Readonly<Record<string, unknown>> {
    return this.#file.frontmatter;
  }

  get tags(): readonly string[] {
    return this.#file.tags;
  }
}

/**
 * Ends a query that takes too long, and lets other work run in between.
 * @throws LecternError from `pause`: `timeout`, or the signal's reason
 */
export function pacingOf(signal: AbortSignal): Pacing {
  const started = performance.now();
  let sliceEnd = started + SLICE_MS;
  return {
    isDue: () => performance.now() >= sliceEnd,
    async pause() {
      signal.throwIfAborted();
      if (performance.now() - started > LIMIT_MS)
        throw new LecternError('timeout', `The query was ended after ${LIMIT_MS / 1000} s.`, {
          next: 'Narrow the filter, e.g. with file.hasTag("tag") or file.inFolder("Folder").',
        });
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    },
  };
}
