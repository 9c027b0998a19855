import { literalSource } from '../query/regex.ts';
import { fold } from '../text/fold.ts';

/** Names of the characters 192 to 255, in their order: the letters that people write as entities. */
const LETTERS =
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'.split(
    ' ',
  );
const FIRST_LETTER = 192;
const NAMED = new Map<string, string>([
  ...LETTERS.map((name, at) => [name, String.fromCharCode(FIRST_LETTER + at)] as const),
  ['OElig', 'Œ'],
  ['oelig', 'œ'],
  ['Scaron', 'Š'],
  ['scaron', 'š'],
  ['Yuml', 'Ÿ'],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['shy', ''],
]);
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([A-Za-z]{2,8}));/gi;
const WORD_CHAR = /[\p{L}\p{N}\p{M}\p{Co}]/u;

/** What an index of plain words has where a letter of a word is written as an entity: its name … */
export const ENTITY_NAMES: readonly string[] = [
  ...new Set([...LETTERS, 'OElig', 'Scaron'].map((name) => name.toLowerCase())),
].filter((word) => word !== 'times' && word !== 'divide');
/** … or its number. */
export const ENTITY_NUMBERS: readonly string[] = LETTERS.flatMap((_, at) => [
  String(FIRST_LETTER + at),
  `x${(FIRST_LETTER + at).toString(16)}`,
]);

/** Text as Joplin compares it: entities decoded, lower case, without diacritics. */
export function normalText(text: string): string {
  return fold(decoded(text));
}

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : whole;
  });
}

/** One word of a query: the words it is made of, each perhaps only a beginning. */
export interface WordPattern {
  readonly parts: readonly WordPart[];
}

interface WordPart {
  readonly word: string;
  readonly isPrefix: boolean;
}

/** @returns undefined for a word without a letter or digit */
export function wordPattern(text: string): WordPattern | undefined {
  const parts = [...normalText(text).matchAll(/([\p{L}\p{N}\p{M}\p{Co}]+)(\*?)/gu)].map(
    ([, word = '', star]) => ({ word, isPrefix: star === '*' }),
  );
  return parts.length === 0 ? undefined : { parts };
}

/** How often whole words like these stand in a {@link normalText}, with nothing but signs between them. */
export function countWords(normal: string, { parts: [first, ...others] }: WordPattern): number {
  if (first === undefined) return 0;
  let count = 0;
  for (let at = normal.indexOf(first.word); at >= 0; at = normal.indexOf(first.word, at + 1)) {
    if (at > 0 && isWordAt(normal, at - 1)) continue;
    let end = endOf(normal, at, first);
    for (const part of others) {
      if (end === undefined) break;
      while (end < normal.length && !isWordAt(normal, end)) end += 1;
      end = normal.startsWith(part.word, end) ? endOf(normal, end, part) : undefined;
    }
    if (end !== undefined) count += 1;
  }
  return count;
}

/** The end of the word that begins here, when it is the one that is meant. */
function endOf(normal: string, at: number, { word, isPrefix }: WordPart): number | undefined {
  let end = at + word.length;
  if (!isPrefix) return end < normal.length && isWordAt(normal, end) ? undefined : end;
  while (end < normal.length && isWordAt(normal, end)) end += 1;
  return end;
}

/** Whether the character of which this is a code unit belongs to a word. */
function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128)
    return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff && at > 0;
  return WORD_CHAR.test(String.fromCodePoint(text.codePointAt(isSecondHalf ? at - 1 : at) ?? 0));
}

/** `*` stands for anything; everything else is itself, whatever its case. */
export function likePattern(pattern: string): RegExp {
  const escaped = pattern.normalize('NFC').split(/\*+/).map(literalSource).join('[^]*');
  return new RegExp(`^${escaped}$`, 'iu');
}

/** Whether a text holds the pieces of a pattern in their order. */
export function substringTest(text: string): ((normal: string) => boolean) | undefined {
  const pieces = normalText(text)
    .split('*')
    .filter((piece) => piece.trim() !== '');
  if (pieces.length === 0) return undefined;
  return (normal) => {
    let at = 0;
    for (const piece of pieces) {
      const found = normal.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return true;
  };
}
