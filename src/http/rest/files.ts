import { isUtf8 } from 'node:buffer';
import { LecternError } from '../../errors.ts';
import { isTextType, mimeTypeOf } from '../../notes/mime.ts';
import type { OpenedFile, VaultSession } from '../../vault/session.ts';
import { ByteBudget, type Lease } from './byte-budget.ts';
import { isUnchanged, matches } from './preconditions.ts';
import { requestedRange } from './ranges.ts';
import { decodePath } from './routes.ts';

/** Route of the raw files. */
export const FILES = '/v1/files/';

/** Larger files are not opened. */
const LARGEST_FILE = 64 * 1024 * 1024;
/** Limit for all files being read or sent, together, in bytes. */
const HELD_BYTES = 4 * LARGEST_FILE;
/** Bytes written to the socket at once. */
const CHUNK_BYTES = 256 * 1024;

/**
 * A file may be a page with a script, and this server's address may be one that needs no token: the file is
 * treated as coming from another origin, runs and loads nothing, and no other site can frame it.
 */
const SAFELY = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

export interface FileRequest {
  readonly request: Request;
  readonly pathname: string;
  readonly vault: () => Promise<VaultSession>;
  /** The URL of the file with this path. */
  readonly urlOf: (path: string) => string;
}

/** Reads and sends files; one instance per door, so that all responses together stay within its memory. */
export class FileAnswers {
  readonly #budget = new ByteBudget(HELD_BYTES);

  /**
   * The bytes of a note, canvas, base or attachment, or a range of them.
   *
   * @param limited runs work as the door does: observed, with a time limit
   * @throws LecternError as reading does, `conflict` when If-Match does not hold
   */
  async answer(
    { request, pathname, vault, urlOf }: FileRequest,
    limited: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>,
  ): Promise<Response> {
    const path = decodePath(pathname.slice(FILES.length));
    const taken = this.#budget.take(LARGEST_FILE);
    try {
      const file = await limited(async (signal) => {
        await taken;
        return await read(path, vault, signal);
      });
      const lease = await taken;
      const tag = `"${file.etag}"`;
      const ifMatch = request.headers.get('if-match');
      if (ifMatch !== null && !matches(ifMatch, tag)) throw changed(file.path);
      const type = typeOf(file);
      const headers = {
        ETag: tag,
        'Accept-Ranges': 'bytes',
        'Cache-Control': 'private, no-cache',
        'Content-Type': type,
        'Content-Disposition': `inline; filename*=UTF-8''${nameOf(file.path)}`,
        'Content-Location': urlOf(file.path),
        ...SAFELY,
      };
      if (isUnchanged(request.headers.get('if-none-match'), tag))
        return ended(lease, new Response(null, { status: 304, headers }));
      const size = file.bytes.length;
      if (request.method === 'HEAD')
        return ended(lease, new Response(null, { headers: { ...headers, 'Content-Length': String(size) } }));
      const range = requestedRange(request.headers, tag, size);
      if (range === 'unsatisfiable')
        return ended(
          lease,
          new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } }),
        );
      const { start, end } = range ?? { start: 0, end: size };
      // A copy of the range releases the rest.
      const part = range === undefined ? file.bytes : file.bytes.slice(start, end);
      lease.keep(part.length);
      return new Response(sent(part, lease), {
        status: range === undefined ? 200 : 206,
        headers: {
          ...headers,
          'Content-Length': String(part.length),
          ...(range && { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
        },
      });
    } catch (error) {
      // A call that timed out while waiting for its turn still gets one.
      void taken.then((lease) => lease.end());
      throw error;
    }
  }
}

async function read(
  path: string,
  vault: () => Promise<VaultSession>,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const session = await vault();
  try {
    return await session.until(signal).file(path, LARGEST_FILE);
  } catch (error) {
    if (error instanceof LecternError)
      session.failed({ tool: 'files', code: error.code, writes: false, paths: { path } });
    throw error;
  }
}

function ended(lease: Lease, response: Response): Response {
  lease.end();
  return response;
}

function sent(bytes: Uint8Array, lease: Lease): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES));
      at += CHUNK_BYTES;
      if (at < bytes.length) return;
      controller.close();
      lease.end();
    },
    cancel: () => lease.end(),
  });
}

/** Valid UTF-8 is declared as such. */
function typeOf({ path, bytes }: OpenedFile): string {
  const type = mimeTypeOf(path);
  return isTextType(type) && isUtf8(bytes) ? `${type}; charset=utf-8` : type;
}

/** Encoded by RFC 8187, which escapes more characters than a URL. */
function nameOf(path: string): string {
  const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  return name.replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function changed(path: string): LecternError {
  return new LecternError('conflict', `${path} is not in any of the versions named.`, {
    details: { path },
    next: 'Read it again without If-Match.',
  });
}
