import { isLecternError } from '../../errors.ts';
import { vaultSearch } from '../../operations/vault-search.ts';
import type { ToolContext } from '../catalogue.ts';
import { blurred } from './markers.ts';
import { isInTrash, pageOf } from './page-path.ts';

export interface PageHit {
  readonly page: string;
  readonly path: string;
  readonly lastModified: number;
  readonly snippet: string;
  /** Number of occurrences of the query. */
  readonly matches: number;
}

export interface PageHits {
  readonly hits: readonly PageHit[];
  /** Why there may be more: not all pages could be searched. */
  readonly notice?: string;
}

interface Wanted {
  readonly query: string;
  readonly limit: number;
  readonly withTrash: boolean;
}

/** UTF-16 code units shown before and after a match. */
const BEFORE = 60;
const BEHIND = 140;
/** Limit of pages opened per requested hit: the index may match other forms of the words. */
const LOOKED_AT = 4;
const PAGE = 50;
/** Limit of a query that is searched in all texts, UTF-16 code units. */
const LONGEST_PART = 400;
/** Special characters of a regular expression, and the slash that would end it. */
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/**
 * Searches pages. Those that contain the query itself come before those that contain only its words. The
 * index finds whole words; when there are too few hits, all texts are searched for parts of words.
 */
export async function searchPages(wanted: Wanted, context: ToolContext): Promise<PageHits> {
  const needle = wanted.query.trim();
  if (needle === '') return { hits: [] };
  const words = needle.split(/\s+/).filter((word) => word !== '');
  const quoted = words.map((word) => `"${word.replaceAll('"', '')}"`).filter((word) => word !== '""');
  const seen = new Set<string>();
  const byWords =
    quoted.length === 0 ? NOTHING : await lookFor(quoted.join(' '), wanted, words, seen, context);
  const whole = byWords.found.filter(({ isWhole }) => isWhole);
  const apart = byWords.found.filter(({ isWhole }) => !isWhole);
  const byParts =
    whole.length >= wanted.limit || needle.length > LONGEST_PART
      ? NOTHING
      : await lookFor(`/${needle.replace(SPECIAL, '\\$&')}/`, wanted, words, seen, context);
  const parts = byParts.found.toSorted(byMatches);
  const hits = [...whole, ...parts, ...apart].slice(0, wanted.limit).map(({ hit }) => hit);
  return { hits, ...(byParts.notice !== undefined && { notice: byParts.notice }) };
}

interface Found {
  readonly hit: PageHit;
  /** Whether the query occurs as given, not only its words. */
  readonly isWhole: boolean;
}

/** Most matches first, then newest first. */
function byMatches({ hit: a }: Found, { hit: b }: Found): number {
  return b.matches - a.matches || b.lastModified - a.lastModified;
}

interface Looked {
  readonly found: readonly Found[];
  /** Why there may be more. */
  readonly notice?: string | undefined;
}

const NOTHING: Looked = { found: [] };

/** @param seen paths to skip; the pages searched here are added */
async function lookFor(
  query: string,
  { query: given, limit, withTrash }: Wanted,
  words: readonly string[],
  seen: Set<string>,
  context: ToolContext,
): Promise<Looked> {
  const found: Found[] = [];
  let notice: string | undefined;
  let cursor: string | undefined;
  let left = limit * LOOKED_AT;
  do {
    const page = await context.run(vaultSearch, { q: query, mode: 'lexical', limit: PAGE, cursor });
    for (const { path } of page.results) {
      if (seen.has(path) || !path.endsWith('.md') || (!withTrash && isInTrash(path))) continue;
      seen.add(path);
      left -= 1;
      const hit = await hitIn(path, given.trim(), words, context);
      if (hit !== undefined) found.push(hit);
    }
    notice ??= page.notice;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && left > 0 && found.length < limit);
  return { found, notice };
}

async function hitIn(
  path: string,
  needle: string,
  words: readonly string[],
  { vault, signal }: ToolContext,
): Promise<Found | undefined> {
  signal.throwIfAborted();
  const session = await vault();
  try {
    const { parsed, mtimeMs } = await session.open(path);
    const page = pageOf(path);
    const wanted = [needle, ...(words.length > 1 ? words : [])].map(folded);
    const [whole = NOWHERE, ...apart] = wanted.map((one) => placesOf(one, parsed.text, page));
    const isWhole = whole.matches > 0;
    if (!isWhole && (apart.length === 0 || apart.some(({ matches }) => matches === 0))) return undefined;
    const shown = isWhole ? whole : (apart.find(({ at }) => at >= 0) ?? NOWHERE);
    const matches = isWhole ? whole.matches : Math.min(...apart.map((one) => one.matches));
    const snippet = snippetAt(parsed.text, shown);
    return { hit: { page, path, lastModified: blurred(mtimeMs), snippet, matches }, isWhole };
  } catch (error) {
    signal.throwIfAborted();
    // The page was removed or became unreadable meanwhile: it is left out.
    if (isLecternError(error)) return undefined;
    throw error;
  }
}

interface Places {
  /** UTF-16 offset of the first match in the text; -1 = none. */
  readonly at: number;
  readonly length: number;
  readonly matches: number;
}

const NOWHERE: Places = { at: -1, length: 0, matches: 0 };

/** Counts the matches in the text; a match only in the page's name counts as one. */
function placesOf(needle: string, text: string, page: string): Places {
  const lower = folded(text);
  const first = lower.indexOf(needle);
  let matches = 0;
  for (let at = first; at !== -1; at = lower.indexOf(needle, at + needle.length)) matches += 1;
  if (matches === 0 && folded(page).includes(needle)) matches = 1;
  return { at: first, length: needle.length, matches };
}

function snippetAt(text: string, { at, length }: Places): string {
  const from = Math.max(0, at);
  const part = text.slice(Math.max(0, from - BEFORE), from + length + BEHIND);
  // Removes half a surrogate pair at either end.
  return part
    .replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Lower case with unchanged offsets: characters whose lower case has another length are kept. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text].map((one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join('');
}
