import type { NoteIndexReader, NoteRecord, PathFilter } from '../../index/note-index.ts';
import type { JoplinFacts } from '../../notes/dialects/joplin.ts';
import { mimeTypeOf } from '../../notes/mime.ts';
import {
  countWords,
  likePattern,
  normalText,
  substringTest,
  type WordPattern,
  wordPattern,
} from './normal-text.ts';
import type { JoplinQuery, JoplinTerm } from './parse.ts';

export interface ConditionParts {
  readonly reader: NoteIndexReader;
  readonly visible: PathFilter | undefined;
  /** The notes that have an id like a pattern, as the journal keeps ids. */
  readonly pathsOfId: ((pattern: string) => ReadonlySet<string>) | undefined;
}

/** What one note has of the query's words. */
export interface Weighed {
  readonly inTitle: boolean;
  readonly inBody: boolean;
  /** How often each positive word stands in title and body, and how long each of the two is. */
  readonly counts: readonly (readonly [title: number, body: number])[];
  readonly lengths: readonly [title: number, body: number];
}

type TextTerm = JoplinTerm & { readonly kind: 'text' };
type Test = (record: NoteRecord, facts: JoplinFacts) => boolean | Promise<boolean>;

interface Filter {
  readonly negated: boolean;
  readonly test: Test;
}

interface TextTest {
  readonly term: TextTerm;
  readonly word: WordPattern | undefined;
  readonly isPart: ((normal: string) => boolean) | undefined;
}

const LINKS = 200;
const K1 = 1.2;
const B = 0.75;

/** A query made ready to be held against notes. */
export class Conditions {
  readonly readsText: boolean;
  /** Words that every match has, as the index of words can be asked for them. */
  readonly requiredWords: readonly string[];
  /** To be marked in snippets. */
  readonly words: readonly { readonly text: string; readonly isPrefix: boolean }[];
  /** Nothing is asked for: signs alone, or nothing at all. Nothing is found, then. */
  readonly isEmpty: boolean;
  readonly #any: boolean;
  readonly #texts: readonly TextTest[];
  readonly #filters: readonly Filter[];
  readonly #notebooks: readonly RegExp[];
  readonly #excluded: readonly RegExp[];

  constructor({ any, terms, substring }: JoplinQuery, parts: ConditionParts) {
    this.#any = any;
    const notebooks = terms.filter((term) => term.kind === 'like' && term.of === 'notebook');
    this.#notebooks = notebooks.filter(({ negated }) => !negated).map(patternOf);
    this.#excluded = notebooks.filter(({ negated }) => negated).map(patternOf);
    this.#texts = terms.flatMap((term) => textTest(term, substring));
    this.#filters = terms.flatMap((term) => filterOf(term, parts));
    this.readsText = this.#texts.length > 0;
    this.isEmpty = this.#texts.length + this.#filters.length + notebooks.length === 0;
    const positive = this.#texts.filter(({ term }) => !term.negated);
    this.requiredWords = [
      ...new Set(
        positive
          .flatMap(({ word }) => word?.parts ?? [])
          .filter(({ isPrefix }) => !isPrefix)
          .map(({ word }) => word),
      ),
    ];
    this.words = positive.map(({ term }) => ({
      text: term.text.replaceAll('*', ' ').trim(),
      isPrefix: term.text.endsWith('*'),
    }));
  }

  /** Whether a note may match, told without its text. */
  async mayMatch(record: NoteRecord, facts: JoplinFacts): Promise<boolean> {
    if (!this.#isInNotebook(record.path)) return false;
    if (this.#any) return true;
    for (const filter of this.#filters) if (!(await passes(filter, record, facts))) return false;
    return true;
  }

  /**
   * @param body without front matter
   * @returns undefined when the note does not match
   */
  async match(record: NoteRecord, facts: JoplinFacts, body: string): Promise<Weighed | undefined> {
    const title = this.readsText ? normalText(facts.title) : '';
    const text = this.readsText ? normalText(body) : '';
    let inTitle = false;
    let inBody = false;
    let isAny = false;
    const counts: [number, number][] = [];
    for (const test of this.#texts) {
      const found = this.#places(test, title, text);
      const isThere = found[0] + found[1] > 0;
      if (isThere === test.term.negated && !this.#any) return undefined;
      isAny ||= isThere !== test.term.negated;
      if (test.term.negated) continue;
      counts.push(found);
      inTitle ||= found[0] > 0;
      inBody ||= found[1] > 0;
    }
    if (this.#any && this.#texts.length + this.#filters.length > 0) {
      for (const filter of this.#filters) isAny ||= await passes(filter, record, facts);
      if (!isAny) return undefined;
    }
    return { inTitle, inBody, counts, lengths: [title.length, text.length] };
  }

  /**
   * BM25 of each, the words' rarity told by these notes.
   *
   * @param notes how many there are in all
   */
  weights(all: readonly Weighed[], notes: number): number[] {
    const weights = all.map(() => 0);
    for (const column of [0, 1] as const) {
      const average = all.reduce((sum, { lengths }) => sum + lengths[column], 0) / Math.max(all.length, 1);
      if (average === 0) continue;
      const [first] = all;
      for (let word = 0; word < (first?.counts.length ?? 0); word++) {
        const having = all.filter(({ counts }) => (counts[word]?.[column] ?? 0) > 0).length;
        const rarity = Math.max(
          Math.log((Math.max(notes, all.length) - having + 0.5) / (having + 0.5) + 1),
          0,
        );
        for (const [at, { counts, lengths }] of all.entries()) {
          const often = counts[word]?.[column] ?? 0;
          const length = lengths[column] / average;
          weights[at] =
            (weights[at] ?? 0) + (rarity * often * (K1 + 1)) / (often + K1 * (1 - B + B * length));
        }
      }
    }
    return weights;
  }

  #places({ term, word, isPart }: TextTest, title: string, body: string): [number, number] {
    const count = (text: string): number => {
      if (isPart !== undefined) return isPart(text) ? 1 : 0;
      return word === undefined ? 0 : countWords(text, word);
    };
    return [term.in === 'body' ? 0 : count(title), term.in === 'title' ? 0 : count(body)];
  }

  #isInNotebook(path: string): boolean {
    if (this.#notebooks.length + this.#excluded.length === 0) return true;
    const titles = path.normalize('NFC').split('/').slice(0, -1);
    const isIn = (patterns: readonly RegExp[]) =>
      titles.some((title) => patterns.some((pattern) => pattern.test(title)));
    return (this.#notebooks.length === 0 || isIn(this.#notebooks)) && !isIn(this.#excluded);
  }
}

async function passes({ negated, test }: Filter, record: NoteRecord, facts: JoplinFacts): Promise<boolean> {
  return (await test(record, facts)) !== negated;
}

function patternOf(term: JoplinTerm): RegExp {
  return likePattern(term.kind === 'like' ? term.pattern : '');
}

/** None for a text without a word: a lone `*` asks for nothing. */
function textTest(term: JoplinTerm, substring: boolean): TextTest[] {
  if (term.kind !== 'text') return [];
  const isPart = substring ? substringTest(term.text) : undefined;
  const word = substring ? undefined : wordPattern(term.text);
  return isPart === undefined && word === undefined ? [] : [{ term, word, isPart }];
}

function filterOf(term: JoplinTerm, parts: ConditionParts): Filter[] {
  const { negated } = term;
  const filter = (test: Test): Filter[] => [{ negated, test }];
  switch (term.kind) {
    case 'text':
      return [];
    case 'since': {
      const { of, ms } = term;
      if (of === 'created') return filter((_, { createdMs }) => createdMs >= ms);
      if (of === 'updated') return filter((_, { updatedMs }) => updatedMs >= ms);
      // For to-dos alone, also when it is turned round.
      return [{ negated: false, test: (_, { isTodo, dueMs }) => isTodo && dueMs >= ms !== negated }];
    }
    case 'least': {
      const { of, value } = term;
      return filter((_, facts) => facts[of] >= value);
    }
    case 'type':
      return filter((_, { isTodo }) => isTodo === term.isTodo);
    case 'completed':
      return filter((_, { isTodo, isCompleted }) => isTodo && isCompleted === term.isCompleted);
    case 'like':
      return likeFilter(term, filter, parts);
  }
}

function likeFilter(
  term: JoplinTerm & { readonly kind: 'like' },
  filter: (test: Test) => Filter[],
  { reader, visible, pathsOfId }: ConditionParts,
): Filter[] {
  const pattern = likePattern(term.pattern);
  switch (term.of) {
    case 'notebook':
      return [];
    case 'tag':
      return filter((_, { tags }) => tags.some((tag) => pattern.test(tag)));
    case 'sourceurl':
      return filter((_, { sourceUrl }) => pattern.test(sourceUrl));
    case 'id': {
      const kept = pathsOfId?.(term.pattern);
      return filter(({ path }, { id }) => kept?.has(path) === true || (id !== undefined && pattern.test(id)));
    }
    case 'resource':
      return filter(async ({ path }) => {
        const links = await reader.forward(path, { limit: LINKS, ...(visible && { visible }) });
        return links.items.some(
          ({ target }) => target !== undefined && !/\.md$/i.test(target) && pattern.test(mimeTypeOf(target)),
        );
      });
  }
}
