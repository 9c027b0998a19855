import { LecternError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { parseContainer } from '../operations/call/input.ts';

/** The target of a resource URI, and its vault. */
export type ResourceTarget = ResourcePlace & {
  /** As given in the URI; undefined = the only vault, or the first. */
  readonly vault?: string;
};

type ResourcePlace =
  | { readonly kind: 'file'; readonly path: string; readonly query: Query }
  | { readonly kind: 'search' | 'graph' | 'tags'; readonly query: Query }
  | {
      readonly kind: 'backlinks' | 'forward' | 'canvas' | 'base';
      readonly path: string;
      readonly query: Query;
    }
  /** The answer of an AI tool for a scope. */
  | { readonly kind: 'summary' | 'moc'; readonly scope: Readonly<Record<string, unknown>> }
  /** Only for subscriptions: segments as patterns, `**` for any number of them. */
  | { readonly kind: 'glob'; readonly pattern: readonly string[] };

export type Query = Readonly<Record<string, string | readonly string[]>>;

const SCHEME = 'vault://';
/** A separate scheme, so that no folder of the first vault can be mistaken for another vault. */
const NAMED_SCHEME = 'vaults://';
const AI = /^ai:\/\/(summary|moc)\/([^?]*)(?:\?vault=([^&]*))?$/i;
const MAX_URI = 8192;
/** Reserved words when not percent-encoded: a folder of that name is written percent-encoded. */
const RESERVED = /^(search|graph|tags)$/;
const LINKS = /^graph\/(backlinks|forward)\/./;
/** Files below a folder of that name are written with a star, or with an escape in the name. */
const SHOWN = /^(canvas|base)\/[^*]+$/;

/**
 * Reads `vault://<path>` and, where there are several vaults, `vaults://<name>/<path>`. Each segment of a
 * path is percent-decoded exactly once; the result passes the vault's own checks like any path, encoded
 * slashes and dots included.
 *
 * @param vaults names of the vaults; undefined when there is only one
 * @throws LecternError `invalid_path` for an invalid URI, `not_found` when no vault has that name
 */
export function parseResourceUri(uri: string, vaults?: readonly string[]): ResourceTarget {
  const ai = uri.length > MAX_URI ? null : AI.exec(uri);
  if (ai) return aiTarget(uri, ai, vaults);
  const lower = uri.slice(0, NAMED_SCHEME.length).toLowerCase();
  const isNamed = vaults !== undefined && lower === NAMED_SCHEME;
  if (!isNamed && !lower.startsWith(SCHEME)) throw invalid(uri, `does not start with ${SCHEME}`, vaults);
  if (uri.length > MAX_URI) throw invalid(uri.slice(0, 100), `is longer than ${MAX_URI} characters`, vaults);
  const [withoutFragment = ''] = uri.slice((isNamed ? NAMED_SCHEME : SCHEME).length).split('#', 1);
  const mark = withoutFragment.indexOf('?');
  const whole = (mark === -1 ? withoutFragment : withoutFragment.slice(0, mark)).replace(/^\/+/, '');
  const query = mark === -1 ? {} : parseQuery(withoutFragment.slice(mark + 1));
  if (!isNamed) return placeOf(uri, whole, query, vaults);
  const [first = ''] = whole.split('/', 1);
  const vault = decodeSegment(first)?.normalize('NFC');
  if (vault === undefined || !vaults.includes(vault)) throw noSuchVault(vault ?? first, vaults);
  return { ...placeOf(uri, whole.slice(first.length).replace(/^\/+/, ''), query, vaults), vault };
}

/**
 * Parses `ai://summary/<scope>`: the scope is percent-encoded, as JSON or as `key=value&…`; `?vault=` names
 * one of several vaults.
 */
function aiTarget(
  uri: string,
  found: RegExpExecArray,
  vaults: readonly string[] | undefined,
): ResourceTarget {
  const [, what = '', raw = '', named] = found;
  const text = decodeSegment(raw);
  if (text === undefined) throw invalid(uri, 'has percent escapes that are not UTF-8', vaults);
  const scope = text.startsWith('{') ? parseContainer(text) : parseQuery(text);
  if (!isRecord(scope)) throw invalid(uri, 'has a scope that is no JSON object', vaults);
  const place = { kind: what.toLowerCase() as 'summary' | 'moc', scope };
  if (named === undefined) return place;
  const vault = decodeSegment(named)?.normalize('NFC') ?? named;
  if (!vaults?.includes(vault)) throw noSuchVault(vault, vaults ?? []);
  return { ...place, vault };
}

function placeOf(
  uri: string,
  raw: string,
  query: Query,
  vaults: readonly string[] | undefined,
): ResourcePlace {
  if (RESERVED.test(raw)) return { kind: raw as 'search' | 'graph' | 'tags', query };
  const links = LINKS.exec(raw)?.[1];
  if (links === 'backlinks' || links === 'forward') {
    return { kind: links, path: decodePath(uri, raw.slice(`graph/${links}/`.length), vaults), query };
  }
  const shown = SHOWN.exec(raw)?.[1];
  if (shown === 'canvas' || shown === 'base')
    return { kind: shown, path: decodePath(uri, raw.slice(`${shown}/`.length), vaults), query };
  if (raw === '') throw invalid(uri, 'names no note', vaults);
  if (raw.includes('*')) return { kind: 'glob', pattern: raw.split('/') };
  return { kind: 'file', path: decodePath(uri, raw, vaults), query };
}

/** Prefix of a vault's URIs; undefined = the only vault, or the first. */
function baseOf(vault: string | undefined): string {
  return vault === undefined ? SCHEME : `${NAMED_SCHEME}${encodeURIComponent(vault)}/`;
}

/** The URI of a file. */
export function fileUri(path: string, vault?: string): string {
  const encoded = encodePath(path);
  const [first = ''] = encoded.split('/', 1);
  const taken = RESERVED.test(encoded) || LINKS.test(encoded) || SHOWN.test(encoded);
  return `${baseOf(vault)}${taken ? `%${first.charCodeAt(0).toString(16)}${encoded.slice(1)}` : encoded}`;
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
  vault?: string,
): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return `${baseOf(vault)}${what}${parts.length === 0 ? '' : `?${parts.join('&')}`}`;
}

/**
 * A `%` that begins no escape is literal, as in `100%.md`.
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

function decodePath(uri: string, raw: string, vaults: readonly string[] | undefined): string {
  const segments = raw.split('/').map((segment) => {
    const decoded = decodeSegment(segment);
    if (decoded === undefined) throw invalid(uri, 'has percent escapes that are not UTF-8', vaults);
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

function invalid(uri: string, why: string, vaults: readonly string[] | undefined): LecternError {
  const others = vaults === undefined ? '' : ' Of other vaults: vaults://<vault>/<path>, and so on.';
  return new LecternError('invalid_path', `The URI ${JSON.stringify(uri)} ${why}.`, {
    next: `Use vault://<path>, vault://search?q=…, vault://graph, vault://graph/backlinks/<path>, vault://graph/forward/<path>, vault://tags, vault://canvas/<path> or vault://base/<path>.${others}`,
  });
}

function noSuchVault(name: string, vaults: readonly string[]): LecternError {
  return new LecternError('not_found', `There is no vault ${JSON.stringify(name.slice(0, 60))}.`, {
    details: { vaults },
    next: `Vaults: ${vaults.join(', ')}.`,
  });
}
