import { DICTIONARY_LIMIT } from './pack.ts';

/** Bytes of a stretch: long enough for a phrase, short enough not to carry much that is of no use. */
const STRETCH = 48;
/** What is counted: so many bytes in a row. */
const GRAM = 6;
const HASH_BITS = 18;
const HASHES = 1 << HASH_BITS;

/**
 * Makes a dictionary of the stretches that share most with other texts of the sample. What one of them has is
 * worth nothing in the next. (After the cover algorithm of Zstandard.)
 * @param texts a sample, of which each text counts as much as it holds
 */
export function trainDictionary(texts: readonly Uint8Array[], limit = DICTIONARY_LIMIT): Uint8Array {
  const counts = countGrams(texts);
  const stretches = texts.flatMap((text) =>
    Array.from({ length: Math.floor(text.length / STRETCH) }, (_, at) =>
      text.subarray(at * STRETCH, (at + 1) * STRETCH),
    ),
  );
  const wanted = Math.floor(limit / STRETCH);
  const each = Math.max(1, stretches.length / wanted);
  const chosen: { readonly stretch: Uint8Array; readonly worth: number }[] = [];
  for (let from = 0; from < stretches.length; from += each) {
    let best: Uint8Array | undefined;
    let worth = 0;
    for (const stretch of stretches.slice(Math.floor(from), Math.max(from + 1, Math.floor(from + each)))) {
      const own = worthOf(stretch, counts);
      if (own > worth) [best, worth] = [stretch, own];
    }
    if (best === undefined || chosen.length >= wanted) continue;
    chosen.push({ stretch: best, worth });
    for (let at = 0; at + GRAM <= best.length; at += 1) counts[hashOf(best, at)] = 0;
  }
  // What is worth most lies at the end: it is within reach of a text for longest.
  chosen.sort((a, b) => a.worth - b.worth);
  const dictionary = new Uint8Array(chosen.length * STRETCH);
  chosen.forEach(({ stretch }, at) => {
    dictionary.set(stretch, at * STRETCH);
  });
  return dictionary;
}

/** In how many texts the bytes of a hash stand; 0 for those of one text alone. */
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

function worthOf(stretch: Uint8Array, counts: Uint32Array): number {
  let worth = 0;
  for (let at = 0; at + GRAM <= stretch.length; at += 1) worth += counts[hashOf(stretch, at)] as number;
  return worth;
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
