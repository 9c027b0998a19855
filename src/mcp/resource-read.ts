import { createHash } from 'node:crypto';
import type { ReadResourceResult } from '@modelcontextprotocol/server';
import { isLecternError, LecternError } from '../errors.ts';
import { isTextType, mimeTypeOf } from '../notes/mime.ts';
import { decodeText } from '../notes/text.ts';
import type { Assistants } from '../operations/call/assistants.ts';
import { parseInput } from '../operations/call/input.ts';
import { runOperation } from '../operations/call/run.ts';
import type { Operation } from '../operations/operation.ts';
import { type AiScope, resolveScope } from '../operations/shared/ai-scope.ts';
import { textWindow } from '../operations/shared/text.ts';
import type { VaultSession } from '../vault/session.ts';
import { readGraph } from './resource-graph.ts';
import { fileUri, type Query, type ResourceTarget } from './resource-uri.ts';

/** Files up to this size, bytes, are read whole; longer ones in ranges. */
export const WHOLE_FILE = 1024 * 1024;
/** Larger files are not opened. */
export const LARGEST_FILE = 64 * 1024 * 1024;

export interface ResourceReader {
  readonly vault: VaultSession;
  /** The operation of this name if the caller is offered it: a resource never shows more than its tool. */
  readonly operation: (name: string) => Operation | undefined;
  readonly signal: AbortSignal;
  readonly assistants?: Assistants | undefined;
}

/**
 * The content of a resource: a file's text or bytes, or an operation's answer as JSON.
 *
 * @param target what `uri` names
 * @throws LecternError
 */
export async function readResource(
  uri: string,
  target: ResourceTarget,
  reader: ResourceReader,
): Promise<ReadResourceResult> {
  if (target.kind === 'file') {
    return await readFile(uri, target, reader).catch((error: unknown) => {
      if (isLecternError(error)) {
        const { code } = error;
        reader.vault.failed({ tool: 'resources/read', code, writes: false, paths: { path: target.path } });
      }
      throw error;
    });
  }
  const value = await projection(uri, target, reader);
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value) }] };
}

/**
 * A fingerprint of a projection's answer, equal for equal answers. Index progress is left out, and so are
 * scores, which change a little with every written note.
 */
export async function projectionFingerprint(
  uri: string,
  target: ResourceTarget,
  reader: ResourceReader,
): Promise<string> {
  if (target.kind === 'file') throw new Error('A file is known by its etag.');
  if (isOfScope(target)) return await scopeFingerprint(target, reader);
  const value = await projection(uri, target, reader).catch((error: unknown) => {
    // A base that is broken or missing may become readable: until then the error is its answer.
    if (target.kind !== 'base' || !isLecternError(error) || !MENDED.has(error.code)) throw error;
    return error.message;
  });
  const text = JSON.stringify(value, (key, held) => (key === 'notice' || key === 'score' ? undefined : held));
  return createHash('sha256').update(text).digest('base64url');
}

/** Computed from the etags of the notes in scope, so that no model is asked. */
async function scopeFingerprint(target: ScopeTarget, reader: ResourceReader): Promise<string> {
  const { scope } = parseInput(assertOffered(target.kind, reader), aiInput(target)) as { scope: AiScope };
  await reader.vault.untilIndexed(reader.signal);
  const { taken } = await resolveScope(reader.vault, scope, reader.signal);
  return JSON.stringify(taken.map(({ note }) => [note.path, note.etag]));
}

type ScopeTarget = Extract<ResourceTarget, { readonly scope: unknown }>;

function isOfScope(target: ResourceTarget): target is ScopeTarget {
  return target.kind === 'summary' || target.kind === 'moc';
}

/**
 * The arguments of the operation that answers a resource. A `moc` has a tag or a glob as its scope, by
 * default everything.
 */
function aiInput({ kind, scope }: ScopeTarget): Record<string, unknown> {
  if (kind === 'summary') return { scope };
  if (scope.tag !== undefined && scope.path_glob === undefined) return { mode: 'tag', scope };
  return { mode: 'glob', scope: { path_glob: '**', ...scope } };
}

const MENDED: ReadonlySet<string> = new Set(['invalid_input', 'not_found']);
/** Rows of a base, so that a subscriber is notified of changes beyond the first page. */
const BASE_ROWS = 100;

/** The operation that shows the same as a resource; for a pattern, the one that lists files. */
const SHOWN_BY = {
  file: 'note_read',
  glob: 'note_list',
  search: 'vault_search',
  tags: 'tag_list',
  backlinks: 'link_backlinks',
  forward: 'link_forward',
  graph: 'link_forward',
  canvas: 'canvas_read',
  base: 'base_query',
  summary: 'ai_summarize',
  moc: 'ai_toc',
} as const;

/** @throws LecternError `forbidden` when the caller is not offered the operation behind a resource */
export function assertOffered(
  kind: ResourceTarget['kind'],
  reader: Pick<ResourceReader, 'operation'>,
): Operation {
  const name = SHOWN_BY[kind];
  const operation = reader.operation(name);
  if (operation !== undefined) return operation;
  throw new LecternError('forbidden', `The owner does not offer ${name}, and so not this resource either.`, {
    next: 'Use the tools and resources that are listed.',
  });
}

async function projection(
  uri: string,
  target: Exclude<ResourceTarget, { kind: 'file' }>,
  reader: ResourceReader,
): Promise<unknown> {
  if (target.kind === 'glob') {
    throw new LecternError('invalid_path', `${JSON.stringify(uri)} names many files, not one.`, {
      next: 'A pattern can be subscribed to; read the files it names one by one (a star in a file name is written %2A).',
    });
  }
  const operation = assertOffered(target.kind, reader);
  if (target.kind === 'graph') return await readGraph(reader.vault, target, reader.signal);
  const own = target.kind === 'base' ? { limit: BASE_ROWS } : {};
  const given = isOfScope(target)
    ? aiInput(target)
    : 'path' in target
      ? { ...own, ...target.query, path: target.path }
      : target.query;
  const context = { signal: reader.signal, progress: () => {}, assistants: reader.assistants };
  return await runOperation(operation, reader.vault, parseInput(operation, given), context);
}

async function readFile(
  uri: string,
  { path, query, vault }: ResourceTarget & { kind: 'file' },
  reader: ResourceReader,
): Promise<ReadResourceResult> {
  assertOffered('file', reader);
  const range = rangeOf(query);
  const file = await reader.vault.file(path, LARGEST_FILE);
  const mimeType = mimeTypeOf(file.path);
  const decoded = isTextType(mimeType) ? decodeText(file.bytes) : undefined;
  const meta = { etag: file.etag, ...(file.path !== path && { path: file.path }) };
  const own = fileUri(file.path, vault);
  if (range === undefined && file.bytes.length > WHOLE_FILE) throw tooLong(file.path, own, file.bytes.length);
  if (decoded?.ok) {
    const { text } = decoded;
    const { start, end } = textWindow(text, range?.offset ?? 0, range?.length ?? text.length);
    const part = range && rest(own, { start, end, total: text.length }, 'characters');
    return {
      contents: [{ uri, mimeType, text: text.slice(start, end), _meta: { ...meta, ...part } }],
    };
  }
  const start = Math.min(range?.offset ?? 0, file.bytes.length);
  const end = Math.min(start + (range?.length ?? file.bytes.length), file.bytes.length);
  const part = range && rest(own, { start, end, total: file.bytes.length }, 'bytes');
  const blob = Buffer.from(file.bytes.subarray(start, end)).toString('base64');
  return { contents: [{ uri, mimeType, blob, _meta: { ...meta, ...part } }] };
}

interface Range {
  readonly offset: number;
  readonly length: number;
}

/** `?offset=…&length=…`: characters (UTF-16) of a text, bytes of anything else. */
function rangeOf(query: Query): Range | undefined {
  const unknown = Object.keys(query).filter((key) => key !== 'offset' && key !== 'length');
  const { offset = '0', length = String(WHOLE_FILE) } = query;
  const valid = [offset, length].every((value) => typeof value === 'string' && /^\d{1,12}$/.test(value));
  if (unknown.length > 0 || !valid) {
    throw new LecternError('invalid_input', 'A file is read whole or with ?offset=…&length=….', {
      details: { unknown },
      next: 'In a file name, ? is written %3F.',
    });
  }
  if (Object.keys(query).length === 0) return undefined;
  return { offset: Number(offset), length: Math.min(Math.max(Number(length), 1), WHOLE_FILE) };
}

function rest(
  uri: string,
  { start, end, total }: { start: number; end: number; total: number },
  unit: string,
): Record<string, unknown> {
  const range = { unit, offset: start, length: end - start, total };
  const next = end < total ? `${uri}?offset=${end}&length=${end - start}` : undefined;
  return { range, ...(next !== undefined && { next }) };
}

function tooLong(path: string, own: string, size: number): LecternError {
  const uri = `${own}?offset=0&length=${WHOLE_FILE}`;
  return new LecternError(
    'too_large',
    `${path} has ${size} bytes; a resource is read whole up to ${WHOLE_FILE} bytes.`,
    {
      details: { path, size, limit: WHOLE_FILE, ranges: uri },
      next: `Read it in parts, beginning with ${uri}.`,
    },
  );
}
