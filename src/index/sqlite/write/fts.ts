import type { LexicalQuery, LexicalTerm } from '../../note-index.ts';
import { queryForm } from '../tokens.ts';

/**
 * The full-text table. Contentless (the text is kept once, in `body`), with deletable rows. `body` is the first
 * column, as FTS5 spends two bytes on every word of a note in another one: a quarter of the whole table. Marks are
 * word characters so that Indic words stay whole, symbols so that emoji can be found. `vocabulary`
 * stores nothing, it shows the words of `fts`. Its pieces are not merged while rows are written, which is what most
 * of the time would go into: FTS5 joins sixteen of one size by itself, and the writer tidies up when nothing else is to do.
 */
export const FTS_SCHEMA = `
CREATE VIRTUAL TABLE fts USING fts5(
  body, title, alias, path, heading, tag,
  content='', contentless_delete=1,
  tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co M* So'"
);
INSERT INTO fts (fts, rank) VALUES ('automerge', 0);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, 'row');
`;

/** The files that have a text, by `id`: a table of one small row for each of them. */
export const WITH_TEXT = 'fts_docsize';

/** bm25 column weights, in the table's column order. */
export const FTS_WEIGHTS = '1.0, 10.0, 8.0, 4.0, 4.0, 5.0';

type Field = NonNullable<LexicalTerm['fields']>[number];
const FIELDS: ReadonlySet<string> = new Set<Field>(['title', 'alias', 'path', 'heading', 'tag', 'body']);

/** The phrases of a term, one of which is enough, each an FTS5 expression; none when it holds no word. */
function termPhrases(term: LexicalTerm): string[] {
  const { pieces, whole, closed } = queryForm(term.text);
  if (pieces.length === 0) return [];
  const star = term.prefix && !closed ? ' *' : '';
  const phrases = [`"${pieces.join(' ')}"${star}`];
  if (whole !== undefined) phrases.push(`"${whole}"${term.prefix ? ' *' : ''}`);
  if (term.fields === undefined) return phrases;
  const fields = term.fields.filter((field) => FIELDS.has(field));
  return fields.length === 0 ? [] : phrases.map((phrase) => `{${fields.join(' ')}} : ${phrase}`);
}

/** Of each term that holds a word. */
function phrasesOf(terms: readonly LexicalTerm[]): string[][] {
  return terms.map(termPhrases).filter((phrases) => phrases.length > 0);
}

function expressions(terms: readonly Phrases[]): string[] {
  return terms.map((phrases) => (phrases.length > 1 ? `(${phrases.join(' OR ')})` : (phrases[0] ?? '')));
}

/** Of one term: a file that has one of them has the term. */
export type Phrases = readonly string[];

/** What a query asks of the full-text table. */
export type Match =
  /**
   * Rows that match the expression, which has all of the required terms, or one of the optional ones where none is
   * required, and none of the excluded. `phrases` are those it ranks by, each as often as it has them.
   */
  | {
      readonly kind: 'match';
      readonly expression: string;
      readonly phrases: readonly string[];
      readonly required: readonly Phrases[];
      readonly optional: readonly Phrases[];
      readonly excluded: readonly Phrases[];
    }
  /** Terms were given but none holds a word: nothing can match. */
  | { readonly kind: 'nothing' }
  /** No positive terms: every row, less those matching `excluded`. */
  | { readonly kind: 'all'; readonly excluded: string | undefined };

/**
 * Builds the MATCH expression from quoted strings of letters, digits and symbols only, so no query can
 * be a syntax error. Terms without any word (`(`, `*`) are left out. Optional terms raise the rank of
 * what the required ones find; without required terms at least one must match.
 */
export function matchExpression(query: LexicalQuery): Match {
  const terms = {
    required: phrasesOf(query.required),
    optional: phrasesOf(query.optional),
    excluded: phrasesOf(query.excluded),
  };
  const required = expressions(terms.required);
  const optional = expressions(terms.optional);
  const excluded = expressions(terms.excluded).join(' OR ');
  if (required.length === 0 && optional.length === 0) {
    if (query.required.length > 0 || query.optional.length > 0) return { kind: 'nothing' };
    return { kind: 'all', excluded: excluded === '' ? undefined : excluded };
  }
  const all = required.join(' AND ');
  const phrases = [...terms.required, ...terms.optional].flat();
  let expression: string;
  if (required.length === 0) expression = optional.join(' OR ');
  else if (optional.length === 0) expression = all;
  // FTS5 has no "should": the second half repeats what is already true, so it excludes nothing.
  else {
    expression = `${all} AND (${optional.join(' OR ')} OR (${all}))`;
    phrases.push(...terms.required.flat());
  }
  return {
    kind: 'match',
    expression: excluded === '' ? expression : `(${expression}) NOT (${excluded})`,
    phrases,
    ...terms,
  };
}
