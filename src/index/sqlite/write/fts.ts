import type { LexicalQuery, LexicalTerm } from '../../note-index.ts';
import { queryForm } from '../tokens.ts';

/**
 * The full-text table. It is contentless (the table `body` has the texts) with deletable rows. The column
 * `body` is the first, as FTS5 uses two more bytes per word of a note in any other column: a quarter of the
 * whole table. Marks are word characters so that Indic words stay whole, symbols so that emoji can be found.
 * `vocabulary` stores nothing; it lists the words of `fts`. Automatic merging is off, as it would take most of
 * the time of writing: FTS5 still merges sixteen segments of one level, and the writer merges in idle time.
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

/** A table with one small row per file that has text; its key is the file's `id`. */
export const WITH_TEXT = 'fts_docsize';

/** Column weights of `bm25()`, in the table's column order. */
export const FTS_WEIGHTS = '1.0, 10.0, 8.0, 4.0, 4.0, 5.0';

type Field = NonNullable<LexicalTerm['fields']>[number];
const FIELDS: ReadonlySet<string> = new Set<Field>(['title', 'alias', 'path', 'heading', 'tag', 'body']);

/** The alternative phrases of a term as FTS5 expressions; none when it contains no word. */
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

/** The phrases of each term that contains a word. */
function phrasesOf(terms: readonly LexicalTerm[]): string[][] {
  return terms.map(termPhrases).filter((phrases) => phrases.length > 0);
}

function expressions(terms: readonly Phrases[]): string[] {
  return terms.map((phrases) => (phrases.length > 1 ? `(${phrases.join(' OR ')})` : (phrases[0] ?? '')));
}

/** The alternative phrases of one term; a file matches the term when it contains one of them. */
export type Phrases = readonly string[];

/** A query for the full-text table. */
export type Match =
  /**
   * Rows that match the expression: all required terms, or one of the optional ones when none is required, and
   * no excluded term. `phrases` are those that count for the score, repeated as in the expression.
   */
  | {
      readonly kind: 'match';
      readonly expression: string;
      readonly phrases: readonly string[];
      readonly required: readonly Phrases[];
      readonly optional: readonly Phrases[];
      readonly excluded: readonly Phrases[];
    }
  /** No term contains a word: nothing can match. */
  | { readonly kind: 'nothing' }
  /** No positive terms: all rows except those that match `excluded`. */
  | { readonly kind: 'all'; readonly excluded: string | undefined };

/**
 * Builds the MATCH expression. It consists of quoted strings of letters, digits and symbols, so that no query
 * causes a syntax error. Terms without a word (`(`, `*`) are left out. Optional terms raise the score of rows
 * that match the required ones; without required terms at least one must match.
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
  // FTS5 has no optional terms: the second alternative repeats the required ones, so no row is excluded.
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
