import { Random } from '../support/random.ts';

/** The commonest words of English, in about their order: no text looks like text without them. */
const STOP_WORDS =
  'the of and to in a is that for it as was with be by on not he this are or his from at which but have an had they you were their one all we can her has there been if more when will would who so no out up into than them some could time about then may other only new these two do any after first over such our also most where how because each just those'.split(
    ' ',
  );
const ONSETS = 'b c d f g h j k l m n p r s t v w z br cl dr fl gr pl pr sh sl st th tr'.split(' ');
const VOWELS = 'a a e e i i o o u u ai ea oo'.split(' ');
const CODAS = ['', '', '', '', 'n', 'r', 's', 't', 'l', 'm', 'ck', 'nd'];
/** English endings, so that a stemmer has its work. */
const ENDINGS = ['', '', '', '', '', 'ing', 'ed', 's', 'er', 'ion', 'able', 'ly', 'ment'];
const CJK =
  '的一是不了人在有我他这中大来上国个到说们為時年会議計画記録資料検索昨日今日明日船海波風雨山川花鳥月';
const VOCABULARY = 40_000;
const TOPIC_WORDS = 160;
/** Share of a note's words that belong to its topic. */
const TOPICAL = 0.25;

export interface Topic {
  readonly name: string;
  /** Path of the folder its notes are in. */
  readonly folder: string;
  /** Nested tag, without `#`. */
  readonly tag: string;
  readonly words: readonly string[];
}

/** Words by Zipf's law, and topics that each draw on a part of them. */
export class Language {
  readonly vocabulary: readonly string[];
  readonly topics: readonly Topic[];

  constructor(seed: number, topics: number) {
    const random = new Random(seed);
    const words = new Set(STOP_WORDS);
    // As in real languages, the oftener a word is used the shorter it is: syllables are added rank by rank.
    while (words.size < VOCABULARY)
      words.add(inventedWord(random, words.size < 400 ? 1 : words.size < 12_000 ? 2 : 3));
    this.vocabulary = [...words];
    this.topics = Array.from({ length: topics }, () => this.#topic(random));
  }

  #topic(random: Random): Topic {
    // Neither the commonest words, which tell nothing, nor those at the end, which occur once or twice.
    const words = Array.from(
      { length: TOPIC_WORDS },
      () => this.vocabulary[random.between(300, 12_000)] ?? 'word',
    );
    const area = AREAS[random.below(AREAS.length)] ?? 'Notes';
    const name = capitalised(words[0] ?? 'topic');
    return { name, folder: `${area}/${name}`, tag: `${area.toLowerCase()}/${words[0]}`, words };
  }

  word(random: Random, topic: Topic): string {
    return random.chance(TOPICAL) ? this.topical(random, topic) : this.common(random);
  }

  topical(random: Random, topic: Topic): string {
    return topic.words[random.rank(topic.words.length)] ?? 'word';
  }

  common(random: Random): string {
    return this.vocabulary[random.rank(this.vocabulary.length)] ?? 'word';
  }

  sentence(random: Random, topic: Topic): string {
    const length = random.between(5, 22);
    let text = capitalised(this.word(random, topic));
    for (let at = 1; at < length; at++) text += (random.chance(0.06) ? ', ' : ' ') + this.word(random, topic);
    return `${text}.`;
  }

  /** Two to four words, the first of the topic's. */
  title(random: Random, topic: Topic): string {
    const words = [this.topical(random, topic)];
    for (let more = random.between(1, 3); more > 0; more--) words.push(this.word(random, topic));
    return capitalised(words.join(' '));
  }
}

const AREAS = ['Projects', 'Areas', 'Reading', 'Work', 'People', 'Reference', 'Ideas', 'Garden'];

function inventedWord(random: Random, most: number): string {
  let word = '';
  for (let syllables = random.between(1, most); syllables > 0; syllables--)
    word += random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
  return most === 1 ? word : word + random.pick(ENDINGS);
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Text without spaces between words, as in Chinese and Japanese. */
export function cjkText(random: Random, length: number): string {
  let text = '';
  for (let at = 0; at < length; at++) text += CJK[random.below(CJK.length)] ?? '';
  return text;
}
