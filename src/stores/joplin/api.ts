import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../../errors.ts';
import { Away, Presence } from '../presence.ts';

/** The parts of a request to Joplin's Data API, besides its method and path. */
export interface JoplinRequest {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly json?: object;
  /** Sent as multipart form data: the bytes of a file, and its properties as JSON. */
  readonly file?: { readonly bytes: Uint8Array; readonly name: string; readonly props: object };
}

/**
 * The Data API of a running Joplin (https://joplinapp.org/help/api/references/rest_api). Each request throws
 * LecternError `unavailable` when Joplin does not answer or refuses the token; one that Joplin refuses
 * otherwise throws `unavailable` for a GET and `invalid_input` for any other method.
 */
export interface JoplinApi {
  /** The address of the service, without the token; `joplin:` when its port has to be found. */
  readonly location: string;
  /**
   * Sends a GET, and once more when the connection was closed.
   * @returns undefined for an item that does not exist
   */
  get<T>(path: string, request?: JoplinRequest): Promise<T | undefined>;
  /**
   * Gets the pages of a list one after another, 100 items at a time unless the request sets another limit.
   */
  pages<T>(path: string, request?: JoplinRequest): AsyncGenerator<readonly T[]>;
  /** Gets the bytes at a path; undefined when it does not exist. */
  bytes(path: string): Promise<Uint8Array | undefined>;
  /**
   * Since when Joplin does not answer, ms since the epoch; undefined while it does. Pings it when the last
   * answer is more than 2 s old.
   */
  awaySince(): Promise<number | undefined>;
  /**
   * Sends a request that changes something, once: it is not retried.
   * @returns Joplin's answer; undefined for 404 and for an empty body
   */
  send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, request?: JoplinRequest): Promise<T | undefined>;
}

export interface JoplinApiOptions {
  /** `http://127.0.0.1:41184`; undefined = the first of Joplin's ports on this machine that answers. */
  readonly url?: string;
  /** Called before each request, so that a renewed token is used at once. Undefined = there is none. */
  readonly token: () => string | undefined;
  /** Time limit of one request, ms. */
  readonly timeoutMs?: number;
}

/** Joplin's clipper service listens on the first free port of this range. */
const FIRST_PORT = 41184;
const LAST_PORT = 41194;
const PING = 'JoplinClipperServer';
const PING_MS = 1_000;
const TIMEOUT_MS = 30_000;
/** Parallel requests: Joplin answers them on the thread that also runs its window. */
export const AT_ONCE = 6;
/** Items per page: the most that Joplin gives. */
const PAGE = 100;
/** Wait before a failed read is repeated, ms. */
const AGAIN_MS = 50;

/**
 * Opens a client of Joplin's Data API. Error messages contain only the address and the first line of Joplin's
 * message: neither the token, which the API requires in the URL, nor the stack trace that Joplin appends.
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

  /** Sends a request and parses the JSON of the answer. @returns undefined for 404 and for an empty body */
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

  /** Repeats a read once: Joplin may close an idle connection at the moment it is used again. */
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
        // Joplin sets `has_more` even when the last page is exactly full.
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

/**
 * Serialises as JSON in ASCII only: Joplin decodes a long body chunk by chunk, which breaks characters that
 * span two chunks.
 */
export function asciiJson(value: object): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u0080-\uffff]/g, escaped);
}

/**
 * Finds the first of Joplin's ports on this machine that answers.
 * @returns its URL; undefined when none does
 */
export async function probeJoplin(): Promise<string | undefined> {
  for (let port = FIRST_PORT; port <= LAST_PORT; port++) {
    const url = `http://127.0.0.1:${port}`;
    if (await answersPing(url)) return url;
  }
  return undefined;
}

/** Whether Joplin's clipper service answers at this URL. */
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
  // Joplin answers 500 both for invalid input and for its own faults.
  const code = method === 'GET' ? 'unavailable' : 'invalid_input';
  return new LecternError(code, `Joplin refuses this (${status}): ${said}.`, {
    next: 'Nothing was changed. Correct what it names, or look at it in Joplin.',
  });
}

/** The first line of Joplin's message, at most 200 characters: a stack trace with local paths follows it. */
function messageOf(body: string): string {
  let message = body;
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') message = error;
  } catch {
    // The body is plain text.
  }
  const line = message.split('\n', 1)[0] ?? '';
  return (
    line
      .replace(/^Internal Server Error:\s*/, '')
      .replace(/[:\s.]+$/, '')
      .slice(0, 200) || 'no reason given'
  );
}
