import { LecternError } from '../../errors.ts';
import { Away, Presence } from '../presence.ts';

/** Metadata of a file, as SilverBullet sends it. */
export interface FileMeta {
  readonly name: string;
  /** Bytes; negative for files that the server itself provides. */
  readonly size: number;
  /** ms since the epoch; 0 when the server does not send it. */
  readonly created: number;
  readonly lastModified: number;
  readonly perm: string;
}

/**
 * The file API of a SilverBullet server. Each method throws LecternError `unavailable` when the server does
 * not answer, refuses the secret, or does not answer like SilverBullet.
 */
export interface SilverBulletApi {
  /** The address of the space. */
  readonly location: string;
  /** All files that the server lists. */
  list(): Promise<readonly FileMeta[]>;
  /** Undefined when the file does not exist. */
  meta(path: string): Promise<FileMeta | undefined>;
  read(path: string): Promise<{ readonly meta: FileMeta; readonly bytes: Uint8Array } | undefined>;
  /**
   * Writes bytes to a path, whatever is there. Not retried after an error of the connection.
   * @param modified modification time for the file, ms since the epoch; some servers ignore it
   * @throws LecternError `read_only` when the server does not take writes
   */
  put(path: string, bytes: Uint8Array, modified?: number): Promise<void>;
  /** @returns false when the file did not exist */
  remove(path: string): Promise<boolean>;
  /** Opens the stream of change events; undefined when the server has none. */
  events(signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>;
  /**
   * Since when the server does not answer, ms since the epoch; undefined while it does. Pings it when the
   * last answer is more than 2 s old.
   */
  awaySince(): Promise<number | undefined>;
}

export interface SilverBulletApiOptions {
  /** The space's address without a trailing slash: `https://notes.example.com/space`. */
  readonly url: string;
  /**
   * A token (`SB_AUTH_TOKEN`), or `user:password` to log in with. Undefined for a server that needs neither.
   */
  readonly secret: () => string | undefined;
  /** Time limit of one request, ms. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const PING_MS = 2_000;
/**
 * Opens a client of `/.fs` of SilverBullet 2. It accepts the differing answers of the Deno, Go and Rust
 * servers. Redirects are not followed: they lead to the app's page, or to another server, which must not
 * receive the token.
 */
export function openSilverBulletApi(options: SilverBulletApiOptions): SilverBulletApi {
  const { url: location } = options;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const presence = new Presence();
  let cookie: string | undefined;

  const reach = async (path: string, request: RequestInit, limitMs: number): Promise<Response> => {
    const limit = AbortSignal.timeout(limitMs);
    const given = request.signal ?? undefined;
    try {
      const response = await fetch(`${location}${path}`, {
        ...request,
        redirect: 'manual',
        signal: given ? AbortSignal.any([given, limit]) : limit,
      });
      presence.heard();
      return response;
    } catch (cause) {
      given?.throwIfAborted();
      presence.missed();
      throw away(
        location,
        limit.aborted ? `did not answer within ${limitMs / 1000} s` : 'does not answer',
        cause,
      );
    }
  };

  const authorization = async (): Promise<Record<string, string>> => {
    const secret = options.secret();
    if (secret === undefined) return {};
    const colon = secret.indexOf(':');
    if (colon <= 0) return { authorization: `Bearer ${secret}` };
    cookie ??= await logIn(secret.slice(0, colon), secret.slice(colon + 1));
    return { cookie };
  };

  const logIn = async (username: string, password: string): Promise<string> => {
    const body = new URLSearchParams({ username, password, rememberMe: 'on' });
    const response = await reach('/.auth', { method: 'POST', body }, timeoutMs);
    await response.body?.cancel();
    const cookies = response.headers.getSetCookie().map((text) => text.split(';', 1)[0] ?? '');
    if (response.status >= 400 || cookies.length === 0) throw refusedSecret();
    return cookies.join('; ');
  };

  const ask = async (path: string, request: RequestInit = {}, limitMs = timeoutMs): Promise<Response> => {
    for (const isLast of [false, true]) {
      const headers = { 'x-sync-mode': 'true', ...(await authorization()), ...(request.headers as object) };
      const response = await reach(path, { ...request, headers }, limitMs);
      if (response.status !== 401) return response;
      await response.body?.cancel();
      // A login session may have expired; a refused token stays refused.
      const couldChange = cookie !== undefined;
      cookie = undefined;
      if (isLast || !couldChange) throw refusedSecret();
    }
    throw refusedSecret();
  };

  const bytesOf = async (response: Response): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      presence.missed();
      throw away(location, 'broke off in the middle of an answer', cause);
    }
  };

  const fileAt = async (path: string, headers: Record<string, string>): Promise<Response | undefined> => {
    const response = await ask(pathOf(path), { headers: { accept: 'application/octet-stream', ...headers } });
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (response.status !== 200) throw await unlike(response);
    return response;
  };

  return {
    location,
    async list() {
      const response = await ask('/.fs', { headers: { accept: 'application/json' } });
      if (response.status !== 200) throw await unlike(response);
      const text = new TextDecoder().decode(await bytesOf(response));
      try {
        return (JSON.parse(text) as readonly FileMeta[]).map(listed);
      } catch (cause) {
        throw away(location, 'answered with a listing that cannot be read', cause);
      }
    },
    async meta(path) {
      const response = await fileAt(path, { 'x-get-meta': 'true' });
      await response?.body?.cancel();
      return response && metaOf(path, response.headers);
    },
    async read(path) {
      const response = await fileAt(path, {});
      if (response === undefined) return undefined;
      const bytes = await bytesOf(response);
      const meta = metaOf(path, response.headers, bytes.length);
      if (meta.size !== bytes.length) throw away(location, 'answered with a part of a file only');
      return { meta, bytes };
    },
    async put(path, bytes, modified) {
      const headers = {
        'content-type': 'application/octet-stream',
        'x-permission': 'rw',
        ...(modified !== undefined && { 'x-last-modified': String(Math.round(modified)) }),
      };
      const response = await ask(pathOf(path), { method: 'PUT', headers, body: Buffer.from(bytes) });
      if (response.status !== 200) throw await refusedWrite(response, path);
      await response.body?.cancel();
    },
    async remove(path) {
      const response = await ask(pathOf(path), { method: 'DELETE' });
      if (response.status === 404) {
        await response.body?.cancel();
        return false;
      }
      if (response.status !== 200) throw await refusedWrite(response, path);
      await response.body?.cancel();
      return true;
    },
    async events(signal) {
      const headers = { accept: 'text/event-stream', 'x-sync-mode': 'true', ...(await authorization()) };
      // The stream stays open, so it has no time limit; the caller's signal ends it.
      const response = await fetch(`${location}/.events`, { headers, redirect: 'manual', signal }).catch(
        () => undefined,
      );
      const isStream = response?.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (response?.status === 200 && isStream && response.body) return response.body;
      await response?.body?.cancel();
      return undefined;
    },
    awaySince: () =>
      presence.awaySince(async () => {
        const ping = { headers: { 'x-sync-mode': 'true' } };
        const answered = await reach('/.ping', ping, PING_MS).catch(() => undefined);
        await answered?.body?.cancel();
        return answered !== undefined;
      }),
  };

  async function unlike(response: Response): Promise<LecternError> {
    await response.body?.cancel();
    if (response.status >= 500) return away(location, `answered with ${response.status}`);
    return new LecternError(
      'unavailable',
      `${location} does not answer like SilverBullet (${response.status}).`,
      {
        next: 'Give the address at which the space opens in a browser, with its path.',
      },
    );
  }

  async function refusedWrite(response: Response, path: string): Promise<LecternError> {
    const said = (await response.text().catch(() => '')).split('\n', 1)[0]?.slice(0, 100) ?? '';
    const { status } = response;
    if (status === 405 || status === 403 || (status === 500 && (await isReadOnly())))
      return new LecternError(
        'read_only',
        'This space of SilverBullet is read-only, or does not take this path.',
        {
          details: { path },
          next: 'Nothing was written. Start SilverBullet without SB_READ_ONLY to write.',
        },
      );
    return new LecternError(
      'unavailable',
      `SilverBullet refused to write ${JSON.stringify(path)} (${status}): ${said}.`,
      {
        details: { path },
        next: 'Look at the log of the SilverBullet server.',
      },
    );
  }

  async function isReadOnly(): Promise<boolean> {
    const response = await ask('/.config').catch(() => undefined);
    const config = (await response?.json().catch(() => undefined)) as { readOnly?: unknown } | undefined;
    return config?.readOnly === true;
  }
}

function away(location: string, what: string, cause?: unknown): LecternError {
  return new Away(`SilverBullet at ${location} ${what}.`, {
    cause,
    next: 'See that the server runs and can be reached, then call again.',
  });
}

function refusedSecret(): LecternError {
  return new LecternError('unavailable', 'SilverBullet does not let Lectern in.', {
    next: 'Set LECTERN_SILVERBULLET_TOKEN to the SB_AUTH_TOKEN of the server, or to user:password.',
  });
}

function pathOf(path: string): string {
  return `/.fs/${path.split('/').map(encodeURIComponent).join('/')}`;
}

function listed(item: FileMeta): FileMeta {
  if (typeof item?.name !== 'string') throw new Error('A file without a name.');
  return {
    name: item.name,
    size: Number(item.size),
    created: Number(item.created) || 0,
    lastModified: Number(item.lastModified) || 0,
    perm: String(item.perm),
  };
}

/** @param read number of bytes received, for a server that does not send the size */
function metaOf(name: string, headers: Headers, read?: number): FileMeta {
  const number = (key: string) => {
    const text = headers.get(key);
    return text === null || text === '' ? undefined : Number(text);
  };
  return {
    name,
    size: number('x-content-length') ?? read ?? number('content-length') ?? 0,
    created: number('x-created') ?? 0,
    lastModified: number('x-last-modified') ?? 0,
    perm: headers.get('x-permission') ?? 'rw',
  };
}
