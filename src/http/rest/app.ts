import { type Context, type Env, Hono } from 'hono';
import type * as z from 'zod';
import { vaultNamed } from '../../catalogues/several-vaults.ts';
import type { Log } from '../../config/log.ts';
import { LecternError } from '../../errors.ts';
import type { CallWatcher } from '../../mcp/tool-call.ts';
import { type Assistants, needsAssistant, noAssistant } from '../../operations/call/assistants.ts';
import { failedCall } from '../../operations/call/failed-call.ts';
import { parseInput } from '../../operations/call/input.ts';
import { inTime } from '../../operations/call/limit.ts';
import { runOperation } from '../../operations/call/run.ts';
import type { Offer } from '../../operations/offer.ts';
import {
  type OperationContext,
  type RoutedOperation,
  readingForm,
  writesWith,
} from '../../operations/operation.ts';
import { rowsKey } from '../../operations/shared/rows.ts';
import type { VaultSession } from '../../vault/session.ts';
import { failed, headerText, ok, problemOf, shown } from './answers.ts';
import { eventStream } from './events.ts';
import { FILES, FileAnswers } from './files.ts';
import { openApiDocument } from './openapi.ts';
import { partialForm, streamPartial } from './partial.ts';
import { entityTag, isUnchanged, matches, writePrecondition } from './preconditions.ts';
import { requestInput } from './request-input.ts';
import { Routes } from './routes.ts';
import { streamRows } from './rows.ts';

/** The caller of a request, with its offer. */
export interface RestCaller {
  /** What it is offered, and its vaults. */
  readonly offer: Offer;
  /** The vault of that name; without one the only vault, or the first. */
  readonly vault: (name?: string) => Promise<VaultSession>;
  readonly watch?: CallWatcher;
  /** Time limit of a call, ms, after which it is answered with `timeout`. Default: none. */
  readonly callLimitMs?: number;
  /** Answers tools that ask a language model; undefined = no model. */
  readonly assistants?: Assistants | undefined;
  /** Whether its credential is still valid; checked while events are streamed. */
  readonly stillWorks?: () => boolean;
}

export interface RestOptions<Bound extends Env = Env> {
  /** Everything that exists, independent of the caller. */
  readonly whole: Offer;
  readonly caller: (context: Context<Bound>) => RestCaller | Promise<RestCaller>;
  readonly version: string;
  readonly log: Log;
  /** Bytes; default 16 MiB. */
  readonly maxBodyBytes?: number;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const NDJSON = 'application/x-ndjson';

interface Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly operation: RoutedOperation;
  readonly values: Readonly<Record<string, string>>;
  readonly caller: RestCaller;
  /** As the request names it; undefined = the only one, or the first. */
  readonly vaultName: string | undefined;
  readonly vault: () => Promise<VaultSession>;
}

/**
 * The REST door: every operation under its `rest` route, answered in the envelope `{ok, data|error}`. To be
 * mounted at `/v1`; the caller of this function authenticates and authorises (`options.caller`).
 */
export function restApp<Bound extends Env = Env>(options: RestOptions<Bound>): Hono<Bound> {
  const { whole, log } = options;
  const routes = new Routes(whole.operations);
  const files = new FileAnswers();
  const app = new Hono<Bound>();
  const onUnexpected = (error: unknown) => log.error({ err: error }, 'request failed unexpectedly');

  app.all('*', async (context) => {
    const request = context.req.raw;
    const url = new URL(request.url);
    try {
      if (request.method === 'GET' && url.pathname === '/v1/openapi.json') {
        return Response.json(openApiDocument(whole, options.version));
      }
      const caller = await options.caller(context);
      const vaultName = takeVaultName(url, caller.offer.vaults);
      const vault = () => caller.vault(vaultName);
      if (request.method === 'GET' && url.pathname === '/v1/events') {
        assertOffered(caller, 'note_list');
        return await eventStream(request, url, await vault(), caller.stillWorks);
      }
      if (request.method === 'GET' && url.pathname === '/v1/vaults' && caller.offer.vaults)
        return ok({
          vaults: caller.offer.vaults.map((name, at) => ({ vault: name, default: at === 0 })),
        });
      if (url.pathname.startsWith(FILES)) {
        if (!/^(GET|HEAD)$/.test(request.method)) return notAllowed(request.method, 'GET, HEAD');
        // Permission to read a note includes the files it embeds.
        assertOffered(caller, 'note_read');
        const { pathname } = url;
        const urlOf = (path: string) => pathUrl(FILES, path, vaultName);
        return await files.answer({ request, pathname, vault, urlOf }, (work) =>
          watched(caller, request.signal, { name: 'The file', effects: 'reads' }, work),
        );
      }
      const match = routes.match(request.method, url.pathname);
      if (match.kind === 'none') return failed(problemOf(noSuchRoute()));
      if (match.kind === 'wrong_method')
        return notAllowed(request.method, [...new Set(match.allow)].join(', '));
      const operation = asOffered(caller, match.route.operation);
      return await answer(
        { request, url, operation, values: match.values, caller, vaultName, vault },
        options,
        onUnexpected,
      );
    } catch (error) {
      return failed(problemOf(shown(error, onUnexpected), request.headers.has('if-match')));
    }
  });
  return app;
}

async function answer(
  exchange: Exchange,
  { maxBodyBytes = MAX_BODY_BYTES }: Pick<RestOptions, 'maxBodyBytes'>,
  onUnexpected: (error: unknown) => void,
): Promise<Response> {
  const { request, operation, values } = exchange;
  let isPrecondition = false;
  try {
    const given = await requestInput({ ...exchange, maxBodyBytes });
    const run = (input: z.output<z.ZodObject>) => runWatched(exchange, input);
    if (!writesWith(operation, given)) {
      const wantsRows = request.headers.get('accept')?.includes(NDJSON) === true;
      if (wantsRows && rowsKey(operation) !== undefined)
        return await streamRows({ operation, input: given, run, onUnexpected });
      const form = needsAssistant(operation) ? partialForm(request) : undefined;
      if (form !== undefined) {
        const input = parseInput(operation, given);
        return await streamPartial({
          form,
          run: (listen, signal) => runWatched(exchange, input, listen, signal),
          onUnexpected,
        });
      }
      return await answerRead(exchange, await run(parseInput(operation, given)));
    }
    const path = values.path ?? values.from;
    const input = parseInput(operation, given);
    const precondition = await writePrecondition(request.headers, operation, path, exchange.vault).catch(
      (error: unknown) => {
        tellUntried(exchange, input, error);
        throw error;
      },
    );
    isPrecondition = precondition.given;
    const output = await run(
      precondition.given ? parseInput(operation, { ...given, ...precondition.input }) : input,
    );
    const created = output.created === true && output.dry_run !== true;
    const headers: Record<string, string> = {
      ...(typeof output.etag === 'string' && { ETag: `"${output.etag}"` }),
      ...(created && { Location: writtenUrl(operation, String(output.path), exchange.vaultName) }),
    };
    return ok(output, headers, created ? 201 : 200);
  } catch (error) {
    // A conflict before any attempt comes from the precondition as well.
    const sent = request.headers.has('if-match') || request.headers.has('if-none-match');
    return failed(problemOf(shown(error, onUnexpected), isPrecondition || sent));
  }
}

async function answerRead(exchange: Exchange, output: z.output<z.ZodObject>): Promise<Response> {
  const { request, operation } = exchange;
  if (operation.rest.method === 'HEAD') return await answerExists(exchange, output);
  const tag = entityTag(output);
  const headers: Record<string, string> = { ETag: tag, 'Cache-Control': 'private, no-cache' };
  const { next_cursor: next } = output;
  if (typeof next === 'string') {
    const following = new URL(request.url);
    following.searchParams.set('cursor', next);
    headers.Link = `<${following.pathname}${following.search}>; rel="next"`;
  }
  const ifMatch = request.headers.get('if-match');
  if (ifMatch !== null && !matches(ifMatch, tag)) throw otherVersion();
  if (isUnchanged(request.headers.get('if-none-match'), tag))
    return new Response(null, { status: 304, headers });
  const response = ok(output, headers);
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

/** HEAD has no body: the status says whether the file exists, the ETag its version. */
async function answerExists(
  { vault, vaultName }: Exchange,
  output: z.output<z.ZodObject>,
): Promise<Response> {
  const { notice } = output;
  const said = typeof notice === 'string' ? { 'X-Lectern-Notice': headerText(notice) } : undefined;
  if (output.exists !== true) return new Response(null, { status: 404, ...(said && { headers: said }) });
  const headers: Record<string, string> = {
    'Content-Location': noteUrl(String(output.path), vaultName),
    'X-Lectern-Kind': String(output.kind),
    ...(output.downloaded === false && { 'X-Lectern-Downloaded': 'false' }),
  };
  if (output.kind === 'note' && output.downloaded !== false) {
    const { etag } = await (await vault()).open(String(output.path));
    headers.ETag = `"${etag}"`;
  }
  return new Response(null, { status: 200, headers });
}

function runWatched(
  { caller, operation, request, vault }: Exchange,
  input: z.output<z.ZodObject>,
  listen: Pick<OperationContext, 'progress' | 'partial'> = { progress: () => {} },
  ending?: AbortSignal,
): Promise<z.output<z.ZodObject>> {
  const outer = ending === undefined ? request.signal : AbortSignal.any([request.signal, ending]);
  return watched(caller, outer, operation, async (signal) =>
    runOperation(operation, await vault(), input, { ...listen, signal, assistants: caller.assistants }),
  );
}

/**
 * Runs work with a time limit, observed by the caller's watcher, which sees its end even after the answer
 * timed out.
 */
function watched<T>(
  caller: RestCaller,
  outer: AbortSignal,
  limited: Pick<RoutedOperation, 'name' | 'effects'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const begun = (signal: AbortSignal) => {
    const over = caller.watch?.begin();
    const done = work(signal);
    if (over !== undefined) done.then(over, over);
    return done;
  };
  return inTime(limited, outer, begun, caller.callLimitMs ?? Number.POSITIVE_INFINITY);
}

/** @throws LecternError `forbidden` for an operation that is not offered to the caller */
function asOffered(caller: RestCaller, operation: RoutedOperation): RoutedOperation {
  assertOffered(caller, operation.name);
  if (operation.writing === undefined) return operation;
  const mayWrite = caller.offer.operations.some(({ name, writing }) => name === operation.name && writing);
  return mayWrite ? operation : { ...readingForm(operation), rest: operation.rest };
}

function assertOffered(caller: RestCaller, name: string): void {
  if (caller.offer.operations.some((operation) => operation.name === name)) return;
  if (caller.offer.dormant?.some((operation) => operation.name === name) === true) throw noAssistant();
  tellNotOffered(caller, name);
  throw new LecternError('forbidden', `${name} is not offered to this caller.`, {
    details: { operation: name },
    next: 'Ask the owner for a token with the scope it needs.',
  });
}

/** For the audit log, which sees only what reaches the operation. */
function tellUntried(
  { operation, request, vault }: Exchange,
  input: z.output<z.ZodObject>,
  error: unknown,
): void {
  const ifMatch = request.headers.get('if-match');
  const aimedAt = ifMatch === null ? input : { ...input, if_match: ifMatch };
  vault().then(
    (session) => session.failed(failedCall(operation, aimedAt, error)),
    () => {},
  );
}

/** For the audit log. A vault that cannot be opened refuses every call by itself. */
function tellNotOffered(caller: RestCaller, tool: string): void {
  caller.vault().then(
    (vault) => vault.failed({ tool, code: 'not_offered', writes: false }),
    () => {},
  );
}

/** The URL at which a written note can be read: under the same path, except for notes restored from elsewhere. */
function writtenUrl({ rest }: RoutedOperation, path: string, vaultName: string | undefined): string {
  const base = rest.path.endsWith('/{path}') ? rest.path.slice(0, -'{path}'.length) : '/v1/notes/';
  return pathUrl(base, path, vaultName);
}

function noteUrl(path: string, vaultName: string | undefined): string {
  return pathUrl('/v1/notes/', path, vaultName);
}

function pathUrl(base: string, path: string, vaultName: string | undefined): string {
  const query = vaultName === undefined ? '' : `?vault=${encodeURIComponent(vaultName)}`;
  return `${base}${path.split('/').map(encodeURIComponent).join('/')}${query}`;
}

/**
 * Removes `vault` from the query of a request that may choose among several.
 *
 * @throws LecternError `invalid_input` for an unknown vault
 */
function takeVaultName(url: URL, vaults: readonly string[] | undefined): string | undefined {
  const [given, ...more] = vaults === undefined ? [] : url.searchParams.getAll('vault');
  if (vaults === undefined || given === undefined) return undefined;
  if (more.length > 0)
    throw new LecternError('invalid_input', 'vault is given more than once.', { next: 'Name one vault.' });
  url.searchParams.delete('vault');
  return vaultNamed(vaults, given);
}

function otherVersion(): LecternError {
  return new LecternError('conflict', 'The answer is not in any of the versions named.', {
    next: 'Read it again without If-Match.',
  });
}

function noSuchRoute(): LecternError {
  return new LecternError('not_found', 'There is no such route.', {
    next: 'The routes are described in /openapi.json.',
  });
}

function notAllowed(method: string, allow: string): Response {
  const error = new LecternError('invalid_input', `${method} is not understood here.`, {
    next: `Use ${allow}.`,
  });
  return failed({ ...problemOf(error), status: 405 }, { Allow: allow });
}
