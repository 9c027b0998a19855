import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../../errors.ts';
import { Away, Presence } from '../presence.ts';

/** What a request of the Data API is made of, beside its method and path. */
export interface JoplinRequest {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly json?: object;
  /** Sent as a form: the bytes of a file, and its properties. */
  readonly file?: { readonly bytes: Uint8Array; readonly name: string; readonly props: object };
}

/** The Data API of a running Joplin. */
export interface JoplinApi {
  /** Where it is asked, without the token. */
  readonly location: string;
  /** A GET that answers undefined for an item that is not there. */
  get<T>(path: string, request?: JoplinRequest): Promise<T | undefined>;
  /** All pages of a list, item by item. */
  pages<T>(path: string, request?: JoplinRequest): AsyncGenerator<readonly T[]>;
  /** The bytes behind a path; undefined when it is not there. */
  bytes(path: string): Promise<Uint8Array | undefined>;
  /** Since when Joplin does not answer, ms since the epoch; it is asked when nothing was heard of it for a moment. */
  awaySince(): Promise<number | undefined>;
  /** A request that changes something. Never repeated by itself. @returns what Joplin answers, undefined for nothing */
  send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, request?: JoplinRequest): Promise<T | undefined>;
}

export interface JoplinApiOptions {
  /** `http://127.0.0.1:41184`; undefined: the first of Joplin's ports on this machine that answers. */
  readonly url?: string;
  /** Asked for before each request, so that a token that was made anew is taken up. */
  readonly token: () => string | undefined;
  /** Milliseconds that one request may take. */
  readonly timeoutMs?: number;
}

/** Where Joplin's clipper service listens: the first of these that is free. */
const FIRST_PORT = 41184;
const LAST_PORT = 41194;
const PING = 'JoplinClipperServer';
const PING_MS = 1_000;
const TIMEOUT_MS = 30_000;
/** Joplin's largest page. */
const PAGE = 100;
/** A read that met a connection just closed is asked once more after this. */
const AGAIN_MS = 50;

/**
 * Speaks Joplin's Data API. Only its address and the words of its errors leave this file: never the token, which the
 * API wants in the URL, and never the stack trace that follows its messages.
 */
export function openJoplinApi(options: JoplinApiOptions): JoplinApi {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  let found = options.url?.replace(/\/+$/, '');
  const location = found ?? 'joplin:';
  const presence = new Presence();

  const base = async (): Promise<string> => {
    found ??= await probeJoplin();
    if (found !== undefined) return found;
    presence.missed();
    throw away(location);
  };

  const ask = async (method: string, path: string, request: JoplinRequest): Promise<Response> => {
    const token = options.token();
    if (token === undefined)
      throw new LecternError('unavailable', 'Joplin wants a token, and none is set.', {
        next: 'Run `lectern joplin pair`, or set LECTERN_JOPLIN_TOKEN to the token of Options > Web Clipper.',
      });
    const url = new URL(`${await base()}/${path}`);
    for (const [key, value] of Object.entries({ ...request.query, token }))
      if (value !== undefined) url.searchParams.set(key, String(value));
    const limit = AbortSignal.timeout(timeoutMs);
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        redirect: 'error',
        ...bodyOf(request),
        signal: limit,
      });
    } catch (cause) {
      if (options.url === undefined) found = undefined;
      presence.missed();
      throw away(
        location,
        limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : undefined,
        codeOf(cause),
      );
    }
    presence.heard();
    return response;
  };

  const text = async (response: Response): Promise<string> => {
    try {
      return await response.text();
    } catch (cause) {
      presence.missed();
      throw away(location, 'broke off in the middle of an answer', codeOf(cause));
    }
  };

  /** The answer; undefined for 404 and for an empty one. */
  const answer = async <T>(method: string, path: string, request: JoplinRequest): Promise<T | undefined> => {
    const response = await ask(method, path, request);
    const body = await text(response);
    if (response.status === 404) return undefined;
    if (!response.ok) throw refusal(response.status, body, method);
    if (body === '') return undefined;
    try {
      return JSON.parse(body) as T;
    } catch {
      throw away(location, 'answered with something that is not JSON');
    }
  };

  /** Reads may be asked twice: a connection kept open may be closed by Joplin at the moment it is used again. */
  const get = async <T>(path: string, request: JoplinRequest = {}): Promise<T | undefined> => {
    try {
      return await answer<T>('GET', path, request);
    } catch (error) {
      if (!(error instanceof Away) || error.message.includes('did not answer within')) throw error;
      await delay(AGAIN_MS);
      return answer<T>('GET', path, request);
    }
  };

  return {
    location,
    get,
    async *pages<T>(path: string, request: JoplinRequest = {}) {
      for (let page = 1; ; page++) {
        const query = { limit: PAGE, ...request.query, page };
        const found = await get<{ items: readonly T[]; has_more: boolean }>(path, { ...request, query });
        if (found === undefined || !Array.isArray(found.items)) return;
        yield found.items;
        // An exactly full last page says that there is more.
        if (!found.has_more || found.items.length === 0) return;
      }
    },
    async bytes(path) {
      const response = await ask('GET', path, {});
      if (response.status === 404) return undefined;
      if (!response.ok) throw refusal(response.status, await text(response), 'GET');
      try {
        return new Uint8Array(await response.arrayBuffer());
      } catch (cause) {
        presence.missed();
        throw away(location, 'broke off in the middle of a file', codeOf(cause));
      }
    },
    awaySince: () =>
      presence.awaySince(async () => {
        const url = found ?? (await probeJoplin());
        return url !== undefined && (await answersPing(url));
      }),
    send: (method, path, request = {}) => answer(method, path, request),
  };
}

function bodyOf({ json, file }: JoplinRequest): { body?: string | FormData } {
  if (json !== undefined) return { body: asciiJson(json) };
  if (file === undefined) return {};
  const form = new FormData();
  form.set('data', new Blob([Buffer.from(file.bytes)]), file.name);
  form.set('props', JSON.stringify(file.props));
  return { body: form };
}

/** Joplin takes a long body piece by piece, and breaks every character that lies in two of them: all are ASCII. */
export function asciiJson(value: object): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
}

/** The address of the first of Joplin's ports on this machine at which Joplin answers. */
export async function probeJoplin(): Promise<string | undefined> {
  for (let port = FIRST_PORT; port <= LAST_PORT; port++) {
    const url = `http://127.0.0.1:${port}`;
    if (await answersPing(url)) return url;
  }
  return undefined;
}

/** Whether a Joplin answers there. */
export async function answersPing(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(PING_MS), redirect: 'error' });
    return response.ok && (await response.text()) === PING;
  } catch {
    return false;
  }
}

function away(location: string, what = 'does not answer', code?: string): LecternError {
  const where = location === 'joplin:' ? 'on this machine' : `at ${location}`;
  return new Away(`Joplin ${what} ${where}${code === undefined ? '' : ` (${code})`}.`, {
    next: 'Start Joplin and switch on its service under Options > Web Clipper, then call again.',
  });
}

function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

function refusal(status: number, body: string, method: string): LecternError {
  const said = messageOf(body);
  if (status === 403)
    return new LecternError('unavailable', 'Joplin does not accept the token.', {
      next: 'Run `lectern joplin pair` again, or set the token that Options > Web Clipper shows.',
    });
  // Joplin answers what its models refuse with 500, as it does its own faults.
  const code = method === 'GET' ? 'unavailable' : 'invalid_input';
  return new LecternError(code, `Joplin refuses this (${status}): ${said}.`, {
    next: 'Nothing was changed. Correct what it names, or look at it in Joplin.',
  });
}

/** The first line of Joplin's message; a stack trace with paths of the owner's machine follows it. */
function messageOf(body: string): string {
  let message = body;
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') message = error;
  } catch {
    // Taken as text.
  }
  const line = message.split('\n', 1)[0] ?? '';
  return (
    line
      .replace(/^Internal Server Error:\s*/, '')
      .replace(/[:\s.]+$/, '')
      .slice(0, 200) || 'no reason given'
  );
}
