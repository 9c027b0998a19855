import { LecternError } from '../errors.ts';

/** What a `vault://` URI names. */
export type ResourceTarget =
  | { readonly kind: 'file'; readonly path: string; readonly query: Query }
  | { readonly kind: 'search' | 'graph' | 'tags'; readonly query: Query }
  | { readonly kind: 'backlinks' | 'forward'; readonly path: string; readonly query: Query }
  /** Only to be watched: segments as patterns, `**` for any number of them. */
  | { readonly kind: 'glob'; readonly pattern: readonly string[] };

export type Query = Readonly<Record<string, string | readonly string[]>>;

const SCHEME = 'vault://';
const MAX_URI = 8192;
/** Words with a meaning of their own, when written without percent-encoding: a folder of that name is written with it. */
const RESERVED = /^(search|graph|tags)$/;
const LINKS = /^graph\/(backlinks|forward)\/./;

/**
 * Reads a `vault://` URI. Each segment of a path is percent-decoded exactly once; what comes out
 * is a vault path like any other and passes the vault's own checks, encoded slashes and dots included.
 *
 * @throws LecternError `invalid_path` when it is no such URI
 */
export function parseResourceUri(uri: string): ResourceTarget {
  if (!uri.toLowerCase().startsWith(SCHEME)) throw invalid(uri, `does not start with ${SCHEME}`);
  if (uri.length > MAX_URI) throw invalid(uri.slice(0, 100), `is longer than ${MAX_URI} characters`);
  const [withoutFragment = ''] = uri.slice(SCHEME.length).split('#', 1);
  const mark = withoutFragment.indexOf('?');
  const raw = (mark === -1 ? withoutFragment : withoutFragment.slice(0, mark)).replace(/^\/+/, '');
  const query = mark === -1 ? {} : parseQuery(withoutFragment.slice(mark + 1));
  if (RESERVED.test(raw)) return { kind: raw as 'search' | 'graph' | 'tags', query };
  const links = LINKS.exec(raw)?.[1];
  if (links === 'backlinks' || links === 'forward') {
    return { kind: links, path: decodePath(uri, raw.slice(`graph/${links}/`.length)), query };
  }
  if (raw === '') throw invalid(uri, 'names no note');
  if (raw.includes('*')) return { kind: 'glob', pattern: raw.split('/') };
  return { kind: 'file', path: decodePath(uri, raw), query };
}

/** The URI of a file. */
export function fileUri(path: string): string {
  const encoded = encodePath(path);
  const [first = ''] = encoded.split('/', 1);
  const taken = RESERVED.test(encoded) || LINKS.test(encoded);
  return `${SCHEME}${taken ? `%${first.charCodeAt(0).toString(16)}${encoded.slice(1)}` : encoded}`;
}

export function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment).replaceAll('*', '%2A'))
    .join('/');
}

/** `vault://search?q=…`; absent values are left out. */
export function queryUri(
  what: string,
  query: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return parts.length === 0 ? `${SCHEME}${what}` : `${SCHEME}${what}?${parts.join('&')}`;
}

/**
 * A `%` that begins no escape stands for itself, as in `100%.md`.
 *
 * @returns undefined when the escapes are not UTF-8
 */
export function decodeSegment(segment: string): string | undefined {
  try {
    return segment.replace(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent);
  } catch {
    return undefined;
  }
}

function decodePath(uri: string, raw: string): string {
  const segments = raw.split('/').map((segment) => {
    const decoded = decodeSegment(segment);
    if (decoded === undefined) throw invalid(uri, 'has percent escapes that are not UTF-8');
    return decoded;
  });
  return segments.join('/');
}

/** Keys given more than once become lists. */
function parseQuery(text: string): Query {
  const query: Record<string, string | string[]> = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const before = Object.hasOwn(query, key) ? query[key] : undefined;
    query[key] = before === undefined ? value : [...(typeof before === 'string' ? [before] : before), value];
  }
  return query;
}

function invalid(uri: string, why: string): LecternError {
  return new LecternError('invalid_path', `The URI ${JSON.stringify(uri)} ${why}.`, {
    next: 'Use vault://<path>, vault://search?q=…, vault://graph, vault://graph/backlinks/<path>, vault://graph/forward/<path> or vault://tags.',
  });
}
