import type { LexicalTerm } from '../../index/note-index.ts';
import { signsIn, wordParts } from '../text/words.ts';
import { alternatives, type Literal, literals, type Normal } from './normal.ts';

/** One alternative of a query, split by who answers it: the index, the paths, or the notes' text. */
export interface Alternative {
  /** All required. */
  readonly terms: readonly LexicalTerm[];
  readonly excluded: readonly LexicalTerm[];
  /** Without `#`, exact or nested. */
  readonly tags: readonly string[];
  /** `file:` and `path:`, tested on the path alone. */
  readonly paths: readonly Literal[];
  /** Evaluated on each candidate. */
  readonly rest: readonly Normal[];
}

const MAX_ALTERNATIVES = 32;

/** Alternatives that ask for nothing (punctuation only) are left out. */
export function plan(root: Normal): Alternative[] {
  return alternatives(root, MAX_ALTERNATIVES)
    .map(split)
    .filter((alternative) => alternative !== undefined);
}

function split(parts: readonly Normal[]): Alternative | undefined {
  const terms: LexicalTerm[] = [];
  const excluded: LexicalTerm[] = [];
  const tags: string[] = [];
  const paths: Literal[] = [];
  const rest: Normal[] = [];
  for (const part of parts) {
    const term = part.kind === 'literal' ? lexicalTerm(part) : undefined;
    if (part.kind !== 'literal') rest.push(part);
    else if (term === 'nothing') continue;
    else if (term && needsSigns(part)) {
      // The index has the words without their signs: they narrow the candidates, whose text decides.
      if (!part.negated) addTerm(terms, term);
      rest.push(part);
    } else if (term) addTerm(part.negated ? excluded : terms, term);
    else if (isPathTest(part)) paths.push(part);
    else {
      const tag = plainTag(part);
      if (tag === undefined) rest.push(part);
      else tags.push(tag);
    }
  }
  const asked = terms.length + excluded.length + tags.length + paths.length + rest.length;
  return asked === 0 ? undefined : { terms, excluded, tags, paths, rest };
}

/** The index's term for a plain word or phrase; `nothing` when it holds no word. */
function lexicalTerm({ test }: Literal): LexicalTerm | 'nothing' | undefined {
  if (test.kind !== 'leaf' || test.sensitive || test.leaf.kind === 'regex') return undefined;
  if (test.field !== undefined && test.field !== 'content') return undefined;
  const parts = wordParts(test.leaf.text);
  if (parts.length === 0) return 'nothing';
  const term: LexicalTerm = {
    text: test.leaf.text,
    phrase: test.leaf.kind === 'phrase' || parts.length > 1,
    prefix: test.leaf.kind === 'word' && test.leaf.prefix,
  };
  return test.field === 'content' ? { ...term, fields: ['body', 'heading', 'tag'] } : term;
}

/** A quoted or excluded word or phrase whose signs make another word of it: `"C++"`, `-C#`. */
export function needsSigns({ test, negated }: Literal): boolean {
  if (test.kind !== 'leaf' || test.leaf.kind === 'regex') return false;
  return (negated || test.leaf.kind === 'phrase') && signsIn(test.leaf.text) !== undefined;
}

function addTerm(terms: LexicalTerm[], term: LexicalTerm): void {
  const same = (other: LexicalTerm): boolean =>
    other.text === term.text &&
    other.phrase === term.phrase &&
    other.prefix === term.prefix &&
    (other.fields === undefined) === (term.fields === undefined);
  if (!terms.some(same)) terms.push(term);
}

function isPathTest({ test }: Literal): boolean {
  return test.kind === 'leaf' && (test.field === 'file' || test.field === 'path');
}

function plainTag({ test, negated }: Literal): string | undefined {
  if (negated || test.kind !== 'leaf' || test.field !== 'tag' || test.leaf.kind === 'regex') return undefined;
  const tag = tagName(test.leaf.text);
  return tag === '' ? undefined : tag;
}

/** `#a/b/` as it is compared: `a/b`. */
export function tagName(text: string): string {
  return text.trim().replace(/^#/, '').replace(/\/+$/, '');
}

/** Which parts of a note its evaluation reads. */
export function needs(rest: readonly Normal[]): { text: boolean; record: boolean } {
  const found = { text: false, record: false };
  for (const part of rest) {
    for (const { test } of literals(part)) {
      if (test.kind === 'segment') {
        found.text = true;
        if (needs([test.part]).record) found.record = true;
      } else if (test.kind === 'property' || test.field === 'tag') found.record = true;
      else if (test.field === undefined || test.field === 'content') found.text = true;
    }
  }
  return found;
}
