import type { CaseNode, FieldNode, OperatorName, ParsedQuery, QueryNode, SegmentNode } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';
import { parseProperty } from './property.ts';

/** A query is a sentence, not a document: what is longer is cut, and the notice says so. */
export const MAX_QUERY_LENGTH = 4000;
/** Words, phrases, regular expressions and properties that one query may hold. */
export const MAX_LEAVES = 64;
/** Parentheses deeper than this are read as if they were not there. */
const MAX_DEPTH = 32;

/**
 * Reads a query in Obsidian's search grammar (formats reference, section 5). Never throws: plain
 * text is always a valid query, unclosed quotes and parentheses end at the end, stray operators
 * are dropped. Unpaired surrogates and control characters count as spaces.
 */
export function parseQuery(query: string): ParsedQuery {
  const notices: string[] = [];
  let text = query.slice(0, MAX_QUERY_LENGTH).replace(/\p{Cs}|\p{Cc}/gu, ' ');
  if (query.length > MAX_QUERY_LENGTH) {
    text = text.trimEnd();
    notices.push(`The query is too long; only its first ${MAX_QUERY_LENGTH} characters were used.`);
  }
  const parser = new Parser(tokenize(text));
  const root = parser.parse();
  if (parser.leavesCut) notices.push(`Only the first ${MAX_LEAVES} words of the query were used.`);
  return { root, notices };
}

class Parser {
  leavesCut = false;
  private at = 0;
  private depth = 0;
  private leaves = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): QueryNode | undefined {
    const parts: QueryNode[] = [];
    while (this.at < this.tokens.length) {
      const part = this.alternatives();
      if (part) parts.push(part);
      // A closing parenthesis without its opening one.
      if (this.tokens[this.at]?.kind === 'close') this.at += 1;
    }
    return joined('and', parts);
  }

  /** `a b OR c`: AND binds tighter. Ends before `)` or at the end. */
  private alternatives(): QueryNode | undefined {
    const alternatives: QueryNode[] = [];
    for (;;) {
      const part = this.conjunction();
      if (part) alternatives.push(part);
      if (this.tokens[this.at]?.kind !== 'or') return joined('or', alternatives);
      this.at += 1;
    }
  }

  private conjunction(): QueryNode | undefined {
    const parts: QueryNode[] = [];
    for (;;) {
      const kind = this.tokens[this.at]?.kind;
      if (kind === undefined || kind === 'or' || kind === 'close') return joined('and', parts);
      const part = this.operand();
      if (part) parts.push(part);
    }
  }

  /** One operand with the minus signs and operators in front of it; undefined when it is empty. */
  private operand(): QueryNode | undefined {
    const wrappers: ('not' | OperatorName)[] = [];
    for (;;) {
      const token = this.tokens[this.at];
      this.at += 1;
      if (token?.kind === 'minus') wrappers.push('not');
      else if (token?.kind === 'operator') wrappers.push(token.name);
      else if (token?.kind === 'or' || token?.kind === 'close') {
        this.at -= 1;
        return undefined;
      } else {
        const node = token && this.primary(token, wrappers.length > 0);
        return node && wrappers.slice(-MAX_DEPTH).reduceRight(wrap, node);
      }
    }
  }

  private primary(token: Token, argument: boolean): QueryNode | undefined {
    if (token.kind === 'open') return this.group();
    if (token.kind === 'and') return undefined;
    const node = leaf(token, argument);
    if (!node) return undefined;
    this.leaves += 1;
    if (this.leaves <= MAX_LEAVES) return node;
    this.leavesCut = true;
    return undefined;
  }

  private group(): QueryNode | undefined {
    if (this.depth >= MAX_DEPTH) return undefined;
    this.depth += 1;
    const node = this.alternatives();
    this.depth -= 1;
    if (this.tokens[this.at]?.kind === 'close') this.at += 1;
    return node;
  }
}

function leaf(token: Token, argument: boolean): QueryNode | undefined {
  switch (token.kind) {
    case 'word':
      return wordNode(token.text);
    case 'phrase':
      // An empty phrase means something only as an argument: `task:""` is any task.
      return token.text.trim() === '' && !argument ? undefined : { kind: 'phrase', text: token.text };
    case 'regex':
      return { kind: 'regex', source: token.source, flags: token.flags };
    case 'property':
      return parseProperty(token.content);
    default:
      return undefined;
  }
}

/** A word as typed; a closing `*` asks for words that begin with it. */
function wordNode(text: string): QueryNode {
  const prefix = text.length > 1 && text.endsWith('*');
  return { kind: 'word', text: prefix ? text.slice(0, -1) : text, prefix };
}

function wrap(part: QueryNode, wrapper: 'not' | OperatorName): QueryNode {
  switch (wrapper) {
    case 'not':
      return { kind: 'not', part };
    case 'match-case':
    case 'ignore-case':
      return { kind: 'case', sensitive: wrapper === 'match-case', part } satisfies CaseNode;
    case 'file':
    case 'path':
    case 'content':
    case 'tag':
      return { kind: 'field', field: wrapper, part } satisfies FieldNode;
    default:
      return { kind: 'segment', segment: wrapper, part } satisfies SegmentNode;
  }
}

function joined(kind: 'and' | 'or', parts: readonly QueryNode[]): QueryNode | undefined {
  return parts.length < 2 ? parts[0] : { kind, parts };
}
