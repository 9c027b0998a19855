import { stem } from '../../search/text/porter.ts';
import { wordParts } from '../../search/text/words.ts';
import { Turn } from '../../turn.ts';
import { nearness, Rarity, type Terms, termsOf, type Vector, vectorOf } from './terms.ts';

/** A text to be grouped with similar ones. */
export interface Clustered<Item> {
  readonly item: Item;
  readonly text: string;
}

export interface Cluster<Item> {
  /** Its most characteristic words. */
  readonly name: string;
  /** In the given order. */
  readonly items: readonly Item[];
}

/** Characters of each text that are used. */
const CHARACTERS = 4000;
const ROUNDS = 8;
const NAME_WORDS = 3;

/**
 * Groups texts by their words (spherical k-means with farthest-first initial centres). Deterministic.
 *
 * @param most limit of groups
 */
export async function clustersOf<Item>(
  texts: readonly Clustered<Item>[],
  most: number,
  turn: Turn = new Turn(),
): Promise<readonly Cluster<Item>[]> {
  const rarity = new Rarity();
  const terms: Terms[] = [];
  for (const { text } of texts) {
    await turn.mine();
    const own = termsOf(text.slice(0, CHARACTERS));
    terms.push(own);
    rarity.add(own);
  }
  const vectors = terms.map((own) => vectorOf(own, rarity));
  const k = Math.min(most, Math.max(1, Math.round(Math.sqrt(texts.length / 2))));
  const belongs = await assign(vectors, k, turn);
  const groups = Array.from({ length: k }, (_, group) =>
    texts.map((_, at) => at).filter((at) => belongs[at] === group),
  );
  const clusters: Cluster<Item>[] = [];
  for (const members of groups) {
    if (members.length === 0) continue;
    await turn.mine();
    const middle = middleOf(members.map((at) => vectors[at] as Vector));
    const name = nameOf(
      middle,
      members.map((at) => (texts[at]?.text ?? '').slice(0, CHARACTERS)),
    );
    clusters.push({ name, items: members.map((at) => (texts[at] as Clustered<Item>).item) });
  }
  return clusters;
}

async function assign(vectors: readonly Vector[], k: number, turn: Turn): Promise<readonly number[]> {
  const seeds: Vector[] = [];
  // Farthest-first: the first text, then always the one farthest from all chosen.
  const nearest = vectors.map(() => 0);
  let next = 0;
  while (seeds.length < k) {
    await turn.mine();
    const seed = vectors[next] ?? new Map();
    seeds.push(seed);
    vectors.forEach((vector, at) => {
      nearest[at] = Math.max(nearest[at] ?? 0, vector === seed ? 2 : nearness(vector, seed));
    });
    next = nearest.indexOf(Math.min(...nearest));
  }
  let middles: readonly Vector[] = seeds;
  let belongs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = belongs;
    belongs = [];
    for (const vector of vectors) {
      await turn.mine();
      const near = middles.map((middle) => nearness(vector, middle));
      belongs.push(near.indexOf(Math.max(...near)));
    }
    if (belongs.every((group, at) => group === before[at])) break;
    const now = belongs;
    middles = middles.map((middle, group) => {
      const members = vectors.filter((_, at) => now[at] === group);
      return members.length === 0 ? middle : middleOf(members);
    });
  }
  return belongs;
}

function middleOf(vectors: readonly Vector[]): Vector {
  const sum = new Map<string, number>();
  for (const vector of vectors)
    for (const [term, weight] of vector) sum.set(term, (sum.get(term) ?? 0) + weight);
  const length = Math.sqrt([...sum.values()].reduce((squares, weight) => squares + weight * weight, 0)) || 1;
  return new Map([...sum].map(([term, weight]) => [term, weight / length]));
}

/** The words of the terms with the highest weights, in the form that is most frequent in the texts. */
function nameOf(middle: Vector, texts: readonly string[]): string {
  const best = [...middle]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .filter(([term]) => !/^\d+$/.test(term));
  const words = new Map<string, Map<string, number>>();
  for (const text of texts) {
    for (const word of wordParts(text)) {
      const forms = words.get(stem(word)) ?? new Map<string, number>();
      forms.set(word, (forms.get(word) ?? 0) + 1);
      words.set(stem(word), forms);
    }
  }
  const written = best.slice(0, NAME_WORDS).map(([term]) => {
    const forms = [...(words.get(term) ?? [])].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return forms[0]?.[0] ?? term;
  });
  return written.length === 0 ? 'Others' : written.join(', ');
}
