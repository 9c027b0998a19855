import type * as z from 'zod';
import { ERROR_CODES, type ErrorCode, LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { parseInput } from '../../operations/call/input.ts';
import {
  hasRoute,
  type Operation,
  type OperationContext,
  type RoutedOperation,
} from '../../operations/operation.ts';
import type { Runner } from './runner.ts';

type Output = z.output<z.ZodObject>;

/**
 * A runner that calls a running server over REST. `run` throws the server's own errors, `unavailable` when it
 * does not answer or has no route for the operation, `forbidden` for an unknown token.
 *
 * @param url its address, e.g. `http://127.0.0.1:7862`, or an endpoint: `http://127.0.0.1:7862/mcp`
 * @param vault the name of one of its vaults; undefined = its only one, or the first
 * @throws LecternError `invalid_input` for a text that is no HTTP address
 */
export function remoteRunner(url: string, token: string | undefined, vault?: string): Runner {
  const base = baseUrl(url);
  return {
    async run(operation, given, partial) {
      // Checked here as well, which gives the same error without a round trip.
      parseInput(operation, given);
      if (!hasRoute(operation)) throw notRemote(operation);
      const request = requestFor(operation, given);
      const headers = {
        Accept: partial === undefined ? 'application/json' : 'application/x-ndjson, application/json',
        ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && token !== '' && { Authorization: `Bearer ${token}` }),
      };
      const address = new URL(`${base}${request.path}`);
      if (vault !== undefined) address.searchParams.set('vault', vault);
      const response = await send(address, {
        method: operation.rest.method,
        headers,
        ...(request.body !== undefined && { body: request.body }),
      });
      if (operation.rest.method === 'HEAD') return existence(response, given);
      if (partial !== undefined && response.headers.get('content-type') === 'application/x-ndjson')
        return await lastLine(response, partial);
      return outputOf(await response.text(), response.status);
    },
    close: async () => {},
  };
}

/** Paths of endpoints below the server's address, which the server prints or clients are configured with. */
const DOORS = /\/(?:mcp(?:\/[^/]+)?|v1|openapi\.json)?\/*$/;

function baseUrl(url: string): string {
  const given = url.trim();
  if (/^https?:\/\/[^/]/i.test(given) && URL.canParse(given)) {
    const { origin, pathname } = new URL(given);
    return origin + pathname.replace(/\/+$/, '').replace(DOORS, '');
  }
  throw new LecternError('invalid_input', `${JSON.stringify(url)} is not the address of a server.`, {
    next: 'Give it as --remote http://host:port, or as lectern serve prints it.',
  });
}

/** The request to an operation's route: the path with its query, and the JSON body if the method has one. */
export function requestFor(
  { rest }: RoutedOperation,
  given: Record<string, unknown>,
): { path: string; body: string | undefined } {
  const left = new Map(Object.entries(given));
  const path = rest.path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = left.get(name);
    left.delete(name);
    return encodeURIComponent(String(value));
  });
  if (!['GET', 'HEAD', 'DELETE'].includes(rest.method))
    return { path, body: JSON.stringify(Object.fromEntries(left)) };
  const query = new URLSearchParams();
  for (const [key, value] of left) {
    for (const each of Array.isArray(value) ? value : [value])
      query.append(key, typeof each === 'object' ? JSON.stringify(each) : String(each));
  }
  return { path: query.size === 0 ? path : `${path}?${query}`, body: undefined };
}

async function send(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new LecternError('unavailable', `No server answers at ${url.origin}.`, {
      cause: error,
      next: 'Start it with lectern serve, or leave out --remote.',
    });
  }
}

/**
 * Reads a streamed answer: one JSON value per line, of which the last is the complete answer in its envelope.
 *
 * @throws LecternError the server's own, or `unavailable` when the connection ends early
 */
async function lastLine(
  response: Response,
  partial: NonNullable<OperationContext['partial']>,
): Promise<Output> {
  const decoder = new TextDecoder();
  let open = '';
  let last = '';
  try {
    for await (const chunk of response.body ?? []) {
      const lines = (open + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
      open = lines.pop() ?? '';
      for (const line of lines.filter((each) => each !== '')) {
        last = line;
        const value: unknown = JSON.parse(line);
        if (isRecord(value) && typeof value.partial === 'string')
          partial({ kind: 'partial', text: value.partial });
      }
    }
  } catch (error) {
    throw new LecternError('unavailable', 'The server hung up before the answer was whole.', {
      cause: error,
      next: 'Try again.',
    });
  }
  return outputOf(last, response.status);
}

/** Reads an answer from its envelope. @throws LecternError the server's own, `forbidden` or `unavailable` */
function outputOf(text: string, status: number): Output {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    throw strange(status);
  }
  if (isRecord(envelope) && envelope.ok === true && isRecord(envelope.data)) return envelope.data;
  const error = isRecord(envelope) ? envelope.error : undefined;
  if (isRecord(error) && isCode(error.code) && typeof error.detail === 'string') {
    throw new LecternError(error.code, error.detail, {
      details: isRecord(error.details) ? error.details : {},
      ...(typeof error.next === 'string' && { next: error.next }),
    });
  }
  throw strange(status);
}

function notRemote({ name }: Operation): LecternError {
  return new LecternError('unavailable', `${name} is not served over REST.`, {
    next: 'Run it where the notes are, without --remote.',
  });
}

/** The answer to a HEAD request, from its status and headers. */
function existence(response: Response, given: Record<string, unknown>): Output {
  const notice = response.headers.get('x-lectern-notice');
  const said = notice === null ? {} : { notice };
  if (response.status === 404) return { ...said, exists: false, path: given.path };
  if (response.status !== 200) throw strange(response.status);
  const location = response.headers.get('content-location') ?? '';
  const path = location
    .replace(/^\/v1\/notes\//, '')
    .replace(/\?.*$/, '')
    .split('/')
    .map(decodeURIComponent)
    .join('/');
  const kind = response.headers.get('x-lectern-kind');
  const isAway = response.headers.get('x-lectern-downloaded') === 'false';
  return { exists: true, path, ...(kind !== null && { kind }), ...(isAway && { downloaded: false }) };
}

function strange(status: number): LecternError {
  if (status === 401) {
    return new LecternError('forbidden', 'The server does not know this token.', {
      next: 'Give one with --token or LECTERN_TOKEN; lectern token create makes it.',
    });
  }
  return new LecternError(
    'unavailable',
    `The server answered with status ${status} and no answer of Lectern's.`,
    {
      next: 'Check the address given with --remote.',
    },
  );
}

function isCode(value: unknown): value is ErrorCode {
  return ERROR_CODES.some((code) => code === value);
}
