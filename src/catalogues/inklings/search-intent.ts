/** The query and the kind of a search. */
export interface SearchPlan {
  readonly intent: 'keyword' | 'semantic';
  /** In Lectern's query language; '' when no words remain. */
  readonly query: string;
}

const OPERATORS = /^(?:AND|OR|NOT|NEAR)$/;

/**
 * Classifies a query as the system does: lexical when it is empty, contains quotes or operators, or is a
 * date, one or two words or one hyphenated name; semantic otherwise. The operators are those of the system's
 * full-text engine.
 */
export function searchPlan(query: string): SearchPlan {
  const text = query.trim();
  const tokens = tokensOf(text);
  return {
    intent: isKeyword(text) ? 'keyword' : 'semantic',
    query: translated(tokens),
  };
}

function isKeyword(text: string): boolean {
  const words = text.split(/\s+/);
  return (
    words.length < 3 ||
    text.includes('"') ||
    words.some((word) => OPERATORS.test(word.replace(/\(.*$/, '').replace(/^\(+|\)+$/g, ''))) ||
    /(?<!\d)\d{4}([-/])\d{2}\1\d{2}(?!\d)/.test(text)
  );
}

type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string }
  | { readonly kind: 'operator' | 'bracket'; readonly text: string };

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [token, phrase, bracket] of text.matchAll(/"([^"]*)"?|([()])|[^\s"()]+/g)) {
    if (phrase !== undefined) tokens.push({ kind: 'phrase', text: phrase });
    else if (bracket !== undefined) tokens.push({ kind: 'bracket', text: bracket });
    else if (OPERATORS.test(token)) tokens.push({ kind: 'operator', text: token });
    else tokens.push({ kind: 'word', text: token });
  }
  return tokens;
}

/** AND is implied in Lectern, NOT becomes a minus, and NEAR requires all its words at any distance. */
function translated(tokens: readonly Token[]): string {
  const isBalanced =
    tokens.filter(({ text }) => text === '(').length === tokens.filter(({ text }) => text === ')').length;
  const words: string[] = [];
  let near = 0;
  let sign = '';
  for (const [at, { kind, text }] of tokens.entries()) {
    const next = tokens[at + 1];
    if (kind === 'operator') {
      if (text === 'OR' && words.length > 0 && next !== undefined) words.push('OR');
      if (text === 'NOT') sign = '-';
      if (text === 'NEAR') near += 1;
      continue;
    }
    if (kind === 'bracket') {
      if (text === ')' && near > 0) near -= 1;
      else if (isBalanced && near === 0) words.push(text === '(' ? `${sign}(` : ')');
      if (text === '(') sign = '';
      continue;
    }
    // The distance at the end of NEAR(a b, 10).
    if (near > 0 && /^\d+$/.test(text) && tokens[at - 1]?.text.endsWith(',')) continue;
    const bare = (near > 0 ? text.replace(/,$/, '') : text).replace(/\s+/g, ' ').trim();
    if (bare !== '') words.push(`${sign}${kind === 'phrase' || !isPlain(bare) ? `"${bare}"` : bare}`);
    sign = '';
  }
  const query = words.join(' ');
  return query
    .replace(/-?\( *\)/g, '')
    .replace(/\( +/g, '(')
    .replace(/ +\)/g, ')')
    .trim();
}

/** Whether a word contains no operator of Lectern's query language. */
function isPlain(word: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_'’.-]*\*?$/u.test(word);
}
