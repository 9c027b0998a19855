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
const TOKEN = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** What an index of plain words has where a letter of a word is written as an entity. */
export const ENTITY_WORDS: readonly string[] = [
  ...new Set([...LETTERS, 'OElig', 'oelig', 'Scaron', 'scaron', 'Yuml'].map((name) => name.toLowerCase())),
  ...LETTERS.flatMap((_, at) => [String(FIRST_LETTER + at), `x${(FIRST_LETTER + at).toString(16)}`]),
].filter((word) => word !== 'times' && word !== 'divide');

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

/** The words of a text, each between spaces: ` a b `. */
export function spacedWords(text: string): string {
  return ` ${(normalText(text).match(TOKEN) ?? []).join(' ')} `;
}

/** One word of a query: the words it is made of, each perhaps only a beginning. */
export interface WordPattern {
  readonly parts: readonly { readonly word: string; readonly isPrefix: boolean }[];
  /** Finds it in {@link spacedWords}. */
  readonly pattern: RegExp;
}

/** @returns undefined for a word without a letter or digit */
export function wordPattern(text: string): WordPattern | undefined {
  const parts = [...normalText(text).matchAll(/([\p{L}\p{N}\p{M}\p{Co}]+)(\*?)/gu)].map(
    ([, word = '', star]) => ({
      word,
      isPrefix: star === '*',
    }),
  );
  if (parts.length === 0) return undefined;
  const source = parts.map(({ word, isPrefix }) => (isPrefix ? `${word}[^ ]*` : word)).join(' ');
  return { parts, pattern: new RegExp(` ${source}(?= )`, 'gu') };
}

/** `*` stands for anything; everything else is itself, whatever its case. */
export function likePattern(pattern: string): RegExp {
  const escaped = pattern
    .normalize('NFC')
    .split(/\*+/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('[^]*');
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
