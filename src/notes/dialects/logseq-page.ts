import { pathKey, stem } from '../path.ts';

/** Characters that Logseq encodes in a file name, besides `/`. */
const RESERVED = /[<>:"|?*\\%#]/g;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const JOURNAL_TITLE =
  /^(?:[a-z]{3,9}, )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4})$/;

/**
 * The file names (without `.md`) that may store a Logseq page, likeliest first: `___` for `/` with
 * percent-encoding (the default since 0.8.9), then the older forms, then a journal's date.
 */
export function logseqFileNames(pageName: string): readonly string[] {
  const encoded = pageName.replace(RESERVED, percentEncode);
  const names = [
    encoded.replaceAll('/', '___'),
    pageName.replaceAll('/', '___'),
    encoded.replaceAll('/', '%2F'),
    pageName.includes('/') ? pageName.replaceAll('/', '.') : pageName,
    ...journalFileNames(pageName),
  ];
  return [...new Set(names)];
}

/**
 * The page name of a file without `title::`: `pages/a___b%3F.md` → `a/b?`, and a journal's date in the
 * default title format, `journals/2024_01_02.md` → `Jan 2nd, 2024`.
 */
export function logseqPageName(path: string): string {
  const date = pathKey(path).startsWith('journals/')
    ? /^(\d{4})[-_](\d{2})[-_](\d{2})$/.exec(stem(path))
    : null;
  const month = MONTHS[Number(date?.[2]) - 1];
  if (date !== null && month !== undefined) {
    return `${month.charAt(0).toUpperCase()}${month.slice(1)} ${ordinal(Number(date[3]))}, ${date[1]}`;
  }
  const name = stem(path).replaceAll('___', '/');
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** A date in one of the formats of journal names. */
export function isLogseqJournalName(pageName: string): boolean {
  return journalFileNames(pageName).length > 0;
}

/** `Jan 2nd, 2024`, `Tuesday, January 2nd, 2024` and `2024-01-02` → `2024_01_02`, `2024-01-02`. */
function journalFileNames(pageName: string): readonly string[] {
  const iso = /^(\d{4})[-_/](\d{2})[-_/](\d{2})$/.exec(pageName);
  if (iso !== null) return [`${iso[1]}_${iso[2]}_${iso[3]}`, `${iso[1]}-${iso[2]}-${iso[3]}`];
  const title = JOURNAL_TITLE.exec(pageName.toLowerCase());
  if (title === null) return [];
  const month = String(MONTHS.indexOf(title[1] ?? '') + 1).padStart(2, '0');
  const day = (title[2] ?? '').padStart(2, '0');
  return [`${title[3]}_${month}_${day}`, `${title[3]}-${month}-${day}`];
}

function ordinal(day: number): string {
  const teen = day % 100 >= 11 && day % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}

function percentEncode(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
