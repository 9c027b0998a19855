import { type Alternative, plan } from './plan.ts';
import { literals, type Normal, normalize } from './query/normal.ts';
import { parseQuery } from './query/parser.ts';

/** Which searches a query is for, by its shape. */
export type Route =
  /** Asked to the letter, or with operators: only the lexical search answers, for `reason`. */
  | { readonly kind: 'lexical'; readonly reason: string | undefined }
  /** Plain words: a question, a subject. Tags and paths named beside them narrow the notes. */
  | {
      readonly kind: 'plain';
      readonly root: Normal;
      /** The words, without operators. */
      readonly text: string;
      readonly narrowing: Alternative;
      readonly notices: readonly string[];
    };

const QUOTED = 'Quoted words are searched as written, so the search was lexical.';
const OPERATORS = 'The query uses operators that only the lexical search understands.';
const IDENTIFIER = 'The query is an identifier, so it was searched as written.';
const DATE = 'The query is a date, so it was searched as written.';

/** `2024-03-01`, `2024/3`, `20240301`, `1.3.2024`, with or without a time. */
const DATE_SHAPE =
  /^(?:\d{4}([-/.])\d{1,2}(?:\1\d{1,2})?|\d{8}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?$/;
/** One word with something inside that prose has not: `POL-358`, `get_value`, `fooBar`, `a/b.md`, `v2`. */
const IDENTIFIER_SHAPE = /^(?=\S*[A-Za-z])\S*(?:\w[_./:#@\\$]+\w|\d-?[A-Za-z]|[A-Za-z]-?\d|[a-z][A-Z])\S*$/;

export function route(query: string): Route {
  const trimmed = query.trim();
  if (DATE_SHAPE.test(trimmed)) return { kind: 'lexical', reason: DATE };
  if (trimmed.length <= 200 && IDENTIFIER_SHAPE.test(trimmed)) return { kind: 'lexical', reason: IDENTIFIER };
  const { root, notices } = parseQuery(query);
  const normal = root && normalize(root);
  // Nothing to search for: the lexical search says so.
  if (!normal) return { kind: 'lexical', reason: undefined };
  const all = plan(normal);
  const [only] = all;
  if (!only) return { kind: 'lexical', reason: undefined };
  if (all.length > 1 || only.rest.length > 0 || only.excluded.length > 0 || only.terms.length === 0)
    return { kind: 'lexical', reason: OPERATORS };
  const words: string[] = [];
  for (const { test } of literals(normal)) {
    if (test.kind !== 'leaf' || test.field !== undefined) continue;
    if (test.leaf.kind === 'phrase') return { kind: 'lexical', reason: QUOTED };
    if (test.leaf.kind === 'word') words.push(test.leaf.text);
  }
  if (words.length === 0) return { kind: 'lexical', reason: OPERATORS };
  return { kind: 'plain', root: normal, text: words.join(' '), narrowing: only, notices };
}
