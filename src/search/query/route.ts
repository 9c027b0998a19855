import { signedWords } from '../snippet/highlight.ts';
import { literals, type Normal, normalize } from './normal.ts';
import { parseQuery } from './parser.ts';
import { type Alternative, plan } from './plan.ts';

/** Which searches a query is for, by its shape. */
export type Route =
  /** Asked to the letter, or with operators: only the lexical search answers, for `reason`. */
  | {
      readonly kind: 'lexical';
      readonly reason: string | undefined;
      /** The query as plain words, to be tried when nothing matches it to the letter. */
      readonly plain?: PlainQuery;
    }
  | ({ readonly kind: 'plain' } & PlainQuery);

/** A question or a subject in plain words. */
export interface PlainQuery {
  readonly root: Normal;
  /** The words, without operators. */
  readonly text: string;
  /** Tags and paths named beside the words: they narrow the notes. */
  readonly narrowing: Alternative;
  readonly notices: readonly string[];
}

const QUOTED = 'Quoted words are searched as written, so the search was lexical.';
const OPERATORS = 'The query uses operators that only the lexical search understands.';
const IDENTIFIER = 'The query is an identifier, so it was searched as written.';
const DATE = 'The query is a date, so it was searched as written.';

/** `2024-03-01`, `2024/3`, `20240301`, `1.3.2024`, with or without a time. */
const DATE_SHAPE =
  /^(?:\d{4}([-/.])\d{1,2}(?:\1\d{1,2})?|\d{8}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?$/;
/** One word with something inside that prose has not: `POL-358`, `get_value`, `fooBar`, `a/b.md`, `v2`. */
const IDENTIFIER_SHAPE =
  /^(?![[("/])(?=\S*[A-Za-z])\S*(?:\w[_./:#@\\$]+\w|\d-?[A-Za-z]|[A-Za-z]-?\d|[a-z][A-Z])\S*$/;

export function route(query: string): Route {
  const trimmed = query.trim();
  const { root, notices } = parseQuery(query);
  const normal = root && normalize(root);
  // Nothing to search for: the lexical search says so.
  if (!normal) return { kind: 'lexical', reason: undefined };
  const { words, quoted, narrowed } = wordsOf(normal);
  const text = words.join(' ');
  const plain = (narrowing: PlainQuery['narrowing']): PlainQuery => ({
    root: normal,
    text,
    narrowing,
    notices,
  });
  const lexical = (reason: string): Route =>
    // What the operators ask for may be left out only when they leave no note out that should be.
    narrowed || text === ''
      ? { kind: 'lexical', reason }
      : { kind: 'lexical', reason, plain: plain(NO_NARROWING) };
  if (DATE_SHAPE.test(trimmed)) return lexical(DATE);
  // `tag:work` has the shape of one too, but is an operator.
  if (text !== '' && trimmed.length <= 200 && IDENTIFIER_SHAPE.test(trimmed)) return lexical(IDENTIFIER);
  // `C++` by itself: the bare word has another meaning, if any.
  if (!/\s/.test(trimmed) && signedWords(normal).length > 0) return lexical(IDENTIFIER);
  if (quoted) return lexical(QUOTED);
  const all = plan(normal);
  const [only] = all;
  if (!only || all.length > 1 || only.rest.length > 0 || only.excluded.length > 0 || text === '')
    return lexical(OPERATORS);
  return { kind: 'plain', ...plain(only) };
}

const NO_NARROWING: Alternative = { terms: [], excluded: [], tags: [], paths: [], rest: [] };

/** The plain words of a query, in order; whether any are quoted; whether anything excludes or narrows notes. */
function wordsOf(root: Normal): { words: string[]; quoted: boolean; narrowed: boolean } {
  const words: string[] = [];
  let quoted = false;
  let narrowed = false;
  for (const { test, negated } of literals(root)) {
    if (negated || test.kind === 'segment' || (test.kind === 'leaf' && test.field !== undefined))
      narrowed = true;
    else if (test.kind === 'property') {
      // Brackets also stand in prose: `[xml]` is a word there.
      if (test.property.value.test !== 'exists') narrowed = true;
      else if (test.property.name.kind !== 'regex') words.push(test.property.name.text);
    } else if (test.leaf.kind === 'regex') words.push(test.leaf.source);
    else {
      if (test.leaf.kind === 'phrase') quoted = true;
      words.push(test.leaf.text);
    }
  }
  return { words, quoted, narrowed };
}
