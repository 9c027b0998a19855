import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
} from 'yaml';
import { LecternError } from '../../../errors.ts';
import { nestsTooDeepAt } from '../../../notes/frontmatter/yaml-nesting.ts';
import { lineAndColumn } from '../../../notes/text.ts';
import type { Expression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { parseExpression } from '../syntax/parser.ts';

/** An expression of a base with its position in the file; `parsed` is the error when it cannot be parsed. */
export interface SourceExpression {
  readonly text: string;
  /** Its key in the file: `filters`, `formulas.x`, `views[0].filters`, `summaries.x`. */
  readonly where: string;
  /** Line and column, 1-based; for a block inside a note the line of the note. */
  readonly line: number;
  readonly column: number;
  readonly parsed: Expression | ExpressionError;
}

/** A filter: one expression, or several filters of which all, any or none must hold. */
export type BaseFilter =
  | { readonly kind: 'expression'; readonly expression: SourceExpression }
  | { readonly kind: 'and' | 'or' | 'not'; readonly filters: readonly BaseFilter[] };

/** A sort or grouping by a property id. */
export interface BaseSort {
  readonly property: string;
  readonly direction: 'ASC' | 'DESC';
}

export interface BaseView {
  readonly name: string;
  readonly type: string;
  readonly filter: BaseFilter | undefined;
  /** Property ids of the columns that are shown. */
  readonly order: readonly string[];
  readonly sort: readonly BaseSort[];
  readonly groupBy: BaseSort | undefined;
  /** Most files shown; 0 = all. */
  readonly limit: number;
  /** Property id → name of a summary. */
  readonly summaries: ReadonlyMap<string, string>;
}

/** A parsed base. */
export interface BaseFile {
  readonly filter: BaseFilter | undefined;
  readonly formulas: ReadonlyMap<string, SourceExpression>;
  readonly displayNames: ReadonlyMap<string, string>;
  readonly summaries: ReadonlyMap<string, SourceExpression>;
  /** At least one: a base without views gets a default table of all files. */
  readonly views: readonly BaseView[];
  /** Parts that were ignored, as messages with the line. */
  readonly warnings: readonly string[];
}

/**
 * Longest source (UTF-16 code units) and most YAML tokens. YAML is parsed on the server's own thread; within
 * these limits it blocks the event loop for about 100 ms at most.
 */
const MAX_LENGTH = 100_000;
const MAX_TOKENS = 30_000;
const MAX_FILTERS = 20_000;
const MAX_DEPTH = 50;

/**
 * Parses a base. Unknown keys are ignored, as plugins store their own settings there. An expression that cannot
 * be parsed is kept as its error.
 *
 * @param source the YAML
 * @param what names the source in errors: its path, or `source`
 * @param firstLine 1-based line on which the YAML begins, for a block inside a note
 * @throws LecternError `invalid_input` with `details: { line, column }` for broken YAML, a wrong shape or too
 *   large a base
 */
export function parseBase(source: string, what: string, firstLine = 1): BaseFile {
  return new BaseReader(source, what, firstLine).read();
}

/** The filters that every row of a view must pass: the base's, the view's and the additional ones. */
export function filtersOf(
  base: BaseFile,
  view: BaseView,
  given: readonly SourceExpression[] = [],
): readonly BaseFilter[] {
  return [
    ...(base.filter === undefined ? [] : [base.filter]),
    ...(view.filter === undefined ? [] : [view.filter]),
    ...given.map((expression) => ({ kind: 'expression' as const, expression })),
  ];
}

/** The first view with this name, ignoring case; undefined when there is none. */
export function findView({ views }: BaseFile, name: string): BaseView | undefined {
  const wanted = viewKey(name);
  return views.find((view) => viewKey(view.name) === wanted);
}

/** Whether a link's subpath (`#View`) names a view of the base; an empty subpath refers to the base itself. */
export function namesView(base: BaseFile, subpath: string): boolean {
  const name = subpath.replace(/^#/, '');
  return name.trim() === '' || findView(base, name) !== undefined;
}

function viewKey(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

class BaseReader {
  readonly #what: string;
  readonly #firstLine: number;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  readonly #source: string;
  readonly #warnings: string[] = [];
  #filters = 0;

  constructor(source: string, what: string, firstLine: number) {
    this.#what = what;
    this.#firstLine = firstLine;
    this.#source = source;
    if (source.length > MAX_LENGTH) throw this.#fail(undefined, `is longer than ${MAX_LENGTH} characters`);
    let tokens = 0;
    for (const _ of new Lexer().lex(source)) {
      tokens += 1;
      if (tokens > MAX_TOKENS) throw this.#fail(undefined, 'has more in it than is read');
    }
    const deep = nestsTooDeepAt(source);
    if (deep !== undefined) throw this.#failAt(deep, 'is nested too deeply');
    this.#document = parseDocument(source, { lineCounter: this.#lines, prettyErrors: false });
    const [broken] = this.#document.errors;
    if (broken !== undefined) throw this.#failAt(broken.pos[0], `is not YAML: ${broken.message}`);
  }

  read(): BaseFile {
    const root = this.#document.contents;
    if (root === null || (isScalar(root) && root.value === null)) return this.#whole(new Map());
    if (!isMap(root)) throw this.#fail(root as Node, 'is not a base: a map with views is wanted');
    return this.#whole(this.#map(root as Node));
  }

  #whole(root: ReadonlyMap<string, Node | null>): BaseFile {
    const formulas = this.#expressions(root.get('formulas'), 'formulas');
    const summaries = this.#expressions(root.get('summaries'), 'summaries');
    const filter = this.#filter(root.get('filters'), 'filters', 0);
    const views = this.#items(root.get('views'), 'views').map((node, at) => this.#view(node, at));
    return {
      filter,
      formulas,
      summaries,
      displayNames: this.#displayNames(root),
      views: views.length > 0 ? views : [DEFAULT_VIEW],
      warnings: this.#warnings,
    };
  }

  #view(node: Node | null, at: number): BaseView {
    const map = this.#map(node, `views[${at}]`);
    const groupNode = map.get('groupBy') ?? map.get('group_by');
    return {
      name: this.#text(map.get('name')) ?? `View ${at + 1}`,
      type: this.#text(map.get('type')) ?? 'table',
      filter: this.#filter(map.get('filters'), `views[${at}].filters`, 0),
      order: this.#items(map.get('order'), `views[${at}].order`).flatMap((item) => this.#text(item) ?? []),
      sort: this.#items(map.get('sort'), `views[${at}].sort`).flatMap((item) => this.#sort(item) ?? []),
      groupBy: groupNode ? this.#sort(groupNode) : undefined,
      limit: this.#count(map.get('limit')),
      summaries: new Map(
        [...this.#map(map.get('summaries') ?? null, `views[${at}].summaries`)].flatMap(([id, name]) => {
          const text = this.#text(name);
          return text === undefined ? [] : [[id, text] as const];
        }),
      ),
    };
  }

  /** Current bases write `property`, older ones `column`; a plain string is a property in ascending order. */
  #sort(node: Node | null): BaseSort | undefined {
    const bare = this.#text(node);
    if (bare !== undefined) return { property: bare, direction: 'ASC' };
    const map = this.#map(node, 'sort');
    const property = this.#text(map.get('property')) ?? this.#text(map.get('column'));
    if (property === undefined) {
      this.#warn(node, 'a sort without a property was passed over');
      return undefined;
    }
    const direction = this.#text(map.get('direction'))?.toUpperCase() === 'DESC' ? 'DESC' : 'ASC';
    return { property, direction };
  }

  #displayNames(root: ReadonlyMap<string, Node | null>): ReadonlyMap<string, string> {
    const names = new Map<string, string>();
    // Older bases write `display` instead of `properties`.
    for (const [id, node] of this.#map(root.get('display') ?? null, 'display')) {
      const name = this.#text(node);
      if (name !== undefined) names.set(id, name);
    }
    for (const [id, node] of this.#map(root.get('properties') ?? null, 'properties')) {
      const name = isMap(node) ? this.#text(this.#map(node).get('displayName')) : undefined;
      if (name !== undefined) names.set(id, name);
    }
    return names;
  }

  #filter(node: Node | null | undefined, where: string, depth: number): BaseFilter | undefined {
    if (node === null || node === undefined || (isScalar(node) && node.value === null)) return undefined;
    if (++this.#filters > MAX_FILTERS) throw this.#fail(node, `has more than ${MAX_FILTERS} filters`);
    if (depth > MAX_DEPTH) throw this.#fail(node, `has filters nested more than ${MAX_DEPTH} deep`);
    if (isScalar(node)) return { kind: 'expression', expression: this.#expression(node, where) };
    if (isSeq(node)) return { kind: 'and', filters: this.#filterList(node, where, depth) };
    const map = this.#map(node, where);
    const kinds = (['and', 'or', 'not'] as const).filter((kind) => map.has(kind));
    const [kind] = kinds;
    if (kinds.length > 1) throw this.#fail(node, `${where} may only have one of and, or and not`);
    if (kind === undefined)
      throw this.#fail(node, `${where} is neither an expression nor one of and, or and not`);
    const inner = map.get(kind);
    const list = isSeq(inner)
      ? this.#filterList(inner, `${where}.${kind}`, depth)
      : [this.#filter(inner, where, depth + 1)];
    return { kind, filters: list.filter((each) => each !== undefined) };
  }

  #filterList(node: Node, where: string, depth: number): readonly BaseFilter[] {
    return this.#items(node, where).flatMap((item) => this.#filter(item, where, depth + 1) ?? []);
  }

  #expressions(node: Node | null | undefined, where: string): ReadonlyMap<string, SourceExpression> {
    const found = new Map<string, SourceExpression>();
    for (const [name, value] of this.#map(node ?? null, where))
      if (value !== null && isScalar(value)) found.set(name, this.#expression(value, `${where}.${name}`));
    return found;
  }

  #expression(node: Node, where: string): SourceExpression {
    const value = isScalar(node) ? node.value : null;
    const text = typeof value === 'string' ? value : String(value);
    const { line, col } = this.#position(node);
    return { text, where, line, column: col, parsed: parsed(text) };
  }

  #items(node: Node | null | undefined, where: string): readonly (Node | null)[] {
    if (node === null || node === undefined || (isScalar(node) && node.value === null)) return [];
    if (isSeq(node)) return node.items.map((item) => this.#resolved(item));
    throw this.#fail(node, `${where} is not a list`);
  }

  #map(node: Node | null | undefined, where = 'the base'): ReadonlyMap<string, Node | null> {
    if (node === null || node === undefined || (isScalar(node) && node.value === null)) return new Map();
    if (!isMap(node)) throw this.#fail(node, `${where} is not a map`);
    return new Map(
      (node.items as Pair[]).map(({ key, value }) => [
        isScalar(key) ? String(key.value) : String(key),
        this.#resolved(value),
      ]),
    );
  }

  /** A node that is no YAML alias. Aliases are refused, as nested ones could expand to exponential size. */
  #resolved(node: unknown): Node | null {
    if (typeof node !== 'object' || node === null) return null;
    if ('source' in node && !('value' in node) && !('items' in node))
      throw this.#fail(node as unknown as Node, 'uses an alias (*); write the value out instead');
    return node as Node;
  }

  #text(node: Node | null | undefined): string | undefined {
    if (node === null || node === undefined || !isScalar(node)) return undefined;
    const { value } = node;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;
  }

  #count(node: Node | null | undefined): number {
    const value = isScalar(node) ? Number(node.value) : 0;
    return Number.isSafeInteger(value) && value > 0 ? value : 0;
  }

  #position(node: Node | null): { line: number; col: number } {
    const { line, col } = this.#lines.linePos(node?.range?.[0] ?? 0);
    return { line: line + this.#firstLine - 1, col };
  }

  #warn(node: Node | null, message: string): void {
    this.#warnings.push(`line ${this.#position(node).line}: ${message}`);
  }

  #fail(node: Node | undefined | null, message: string): LecternError {
    return this.#failAt(node?.range?.[0] ?? 0, message);
  }

  #failAt(offset: number, message: string): LecternError {
    // `#lines` is filled by the parser, which may not have run yet.
    const { line, column } = lineAndColumn(this.#source, offset);
    const at = line + this.#firstLine - 1;
    return new LecternError(
      'invalid_input',
      `${this.#what}:${at}:${column}: the base ${message.replace(/\.$/, '')}.`,
      {
        details: { line: at, column },
        next: 'Correct the base at this line; base_check shows every expression of it.',
      },
    );
  }
}

const DEFAULT_VIEW: BaseView = {
  name: 'Table',
  type: 'table',
  filter: undefined,
  order: ['file.name'],
  sort: [],
  groupBy: undefined,
  limit: 0,
  summaries: new Map(),
};

/** Parses an expression; returns the error instead of throwing it. */
export function parsed(text: string): Expression | ExpressionError {
  try {
    return parseExpression(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
}
