import { DICTIONARY_LIMIT } from './pack.ts';

/**
 * Length of a segment of the dictionary, bytes: long enough for a phrase, short enough to have little useless
 * text.
 */
const SEGMENT = 48;
/** Length of the n-grams that are counted, bytes. */
const GRAM = 6;
const HASH_BITS = 18;
const HASHES = 1 << HASH_BITS;

/**
 * Trains a dictionary: it takes the segments whose n-grams occur in most other texts of the sample, and counts
 * each n-gram once. It follows the COVER algorithm of Zstandard.
 *
 * @param texts a sample of UTF-8 texts, weighted by their length
 * @param limit longest dictionary, bytes
 */
export function trainDictionary(texts: readonly Uint8Array[], limit = DICTIONARY_LIMIT): Uint8Array {
  const counts = countGrams(texts);
  const segments = texts.flatMap((text) =>
    Array.from({ length: Math.floor(text.length / SEGMENT) }, (_, at) =>
      text.subarray(at * SEGMENT, (at + 1) * SEGMENT),
    ),
  );
  const wanted = Math.floor(limit / SEGMENT);
  const each = Math.max(1, segments.length / wanted);
  const chosen: { readonly segment: Uint8Array; readonly score: number }[] = [];
  for (let from = 0; from < segments.length; from += each) {
    let best: Uint8Array | undefined;
    let score = 0;
    for (const segment of segments.slice(Math.floor(from), Math.max(from + 1, Math.floor(from + each)))) {
      const own = scoreOf(segment, counts);
      if (own > score) [best, score] = [segment, own];
    }
    if (best === undefined || chosen.length >= wanted) continue;
    chosen.push({ segment: best, score });
    for (let at = 0; at + GRAM <= best.length; at += 1) counts[hashOf(best, at)] = 0;
  }
  // The most useful segments are at the end, within reach of copies for the longest part of a text.
  chosen.sort((a, b) => a.score - b.score);
  const dictionary = new Uint8Array(chosen.length * SEGMENT);
  chosen.forEach(({ segment }, at) => {
    dictionary.set(segment, at * SEGMENT);
  });
  return dictionary;
}

/** Number of texts that contain the n-grams of each hash; 0 for those of a single text. */
function countGrams(texts: readonly Uint8Array[]): Uint32Array {
  const counts = new Uint32Array(HASHES);
  const seenIn = new Uint32Array(HASHES);
  for (const [number, text] of texts.entries()) {
    for (let at = 0; at + GRAM <= text.length; at += 1) {
      const hash = hashOf(text, at);
      if (seenIn[hash] === number + 1) continue;
      seenIn[hash] = number + 1;
      counts[hash] = (counts[hash] as number) + 1;
    }
  }
  return counts.map((count) => (count < 2 ? 0 : count));
}

function scoreOf(segment: Uint8Array, counts: Uint32Array): number {
  let score = 0;
  for (let at = 0; at + GRAM <= segment.length; at += 1) score += counts[hashOf(segment, at)] as number;
  return score;
}

function hashOf(bytes: Uint8Array, at: number): number {
  const low =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24);
  const high = (bytes[at + 4] as number) | ((bytes[at + 5] as number) << 8);
  return Math.imul(Math.imul(low, 0x9e3779b1) ^ high, 0x85ebca6b) >>> (32 - HASH_BITS);
}
