import { type Literal, literals, type Normal } from '../query/normal.ts';
import { tagName } from '../query/plan.ts';
import { compilePattern, literalSource, type TextPattern } from '../query/regex.ts';
import { compose } from '../text/fold.ts';
import { type Needle, needle, signsIn, wordParts } from '../text/words.ts';
import type { Highlights } from './densest-passage.ts';

/** How plain words were matched in the end: the result of query relaxation. */
export interface WordMatching {
  readonly prefix: boolean;
  /** Typed word → the word searched for instead. */
  readonly corrections: ReadonlyMap<string, string>;
}

/** What to mark in snippets: everything positive in the query that stands in a note's text. */
export function highlightsOf(root: Normal, matching: WordMatching): Highlights {
  const needles = new Map<string, Needle>();
  const patterns: TextPattern[] = [];
  collect(root, false, matching, needles, patterns);
  return { needles: [...needles.values()], patterns };
}

/** Plain words and phrases of a query, corrected and folded, in order: what a title is compared with. */
export function typedWords(root: Normal, corrections: ReadonlyMap<string, string>): string[] {
  const words: string[] = [];
  for (const { test, negated } of literals(root)) {
    if (negated || test.kind !== 'leaf' || test.field !== undefined || test.leaf.kind === 'regex') continue;
    words.push(...wordParts(corrections.get(test.leaf.text) ?? test.leaf.text));
  }
  return words;
}

function collect(
  root: Normal,
  scoped: boolean,
  matching: WordMatching,
  needles: Map<string, Needle>,
  patterns: TextPattern[],
): void {
  for (const literal of literals(root)) {
    const { test, negated } = literal;
    if (negated || test.kind === 'property') continue;
    if (test.kind === 'segment') collect(test.part, true, matching, needles, patterns);
    else if (test.leaf.kind === 'regex') {
      const pattern = inText(literal) && compilePattern(test.leaf.source, test.leaf.flags, !test.sensitive);
      if (pattern && typeof pattern !== 'string') patterns.push(pattern);
    } else if (test.field === 'tag') {
      // The tag itself, and before any other place of its words, where it is written as one.
      add(needles, needle(tagName(test.leaf.text)));
      add(needles, needle(tagName(test.leaf.text), { behind: '#' }));
    } else if (inText(literal)) {
      const { text } = test.leaf;
      if (test.sensitive) {
        // Needles ignore case.
        const pattern = compilePattern(literalSource(compose(text)), '', false);
        if (typeof pattern !== 'string') patterns.push(pattern);
        continue;
      }
      const word = test.leaf.kind === 'word';
      const signs = word ? ('preferred' as const) : ('required' as const);
      const prefix = word && ((matching.prefix && !signsIn(text)) || test.leaf.prefix);
      const options = scoped ? { inside: true, signs } : { prefix, signs };
      add(needles, needle(matching.corrections.get(text) ?? text, options));
      if (word && test.leaf.prefix) add(needles, starred(text));
    }
  }
}

/** Letters of a word that a star may belong to: `A*`, `IDA*`. With more it only asks for words that begin so. */
const LONGEST_STARRED = 4;

/** `A*` as a name of its own. */
function starred(word: string): Needle | undefined {
  return word.length > LONGEST_STARRED ? undefined : needle(`${word}*`, { signs: 'required' });
}

/** A word or phrase of a query whose signs make another word of it. */
export interface SignedWord {
  readonly text: string;
  readonly quoted: boolean;
  readonly needle: Needle;
}

/** Those that a query asks for. Unquoted ones are preferred to the bare words, quoted ones are required. */
export function signedWords(root: Normal): SignedWord[] {
  const found: SignedWord[] = [];
  for (const literal of literals(root)) {
    const { test, negated } = literal;
    if (negated || test.kind !== 'leaf' || test.sensitive || test.leaf.kind === 'regex' || !inText(literal))
      continue;
    const { text } = test.leaf;
    const isStarred = test.leaf.kind === 'word' && test.leaf.prefix;
    const wanted = isStarred ? starred(text) : needle(text, { signs: 'required' });
    if (wanted?.signs) found.push({ text, quoted: test.leaf.kind === 'phrase', needle: wanted });
  }
  return found;
}

function inText({ test }: Literal): boolean {
  return test.kind === 'leaf' && (test.field === undefined || test.field === 'content');
}

function add(needles: Map<string, Needle>, wanted: Needle | undefined): void {
  if (!wanted) return;
  const key = `${wanted.parts.join(' ')}|${wanted.prefix}|${wanted.inside}|${wanted.behind}|${JSON.stringify(wanted.signs)}`;
  needles.set(key, wanted);
}
