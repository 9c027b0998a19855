import { createHash } from 'node:crypto';
import { CANVAS_BYTES } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import { inputSchema } from '../../operations/call/json-schema.ts';
import type { Operation } from '../../operations/operation.ts';
import type { VaultSession } from '../../vault/session.ts';

/** Parts of note_read and canvas_read that can change without the file. */
const LIVE_PARTS = ['links', 'backlinks', 'nodes'];

/**
 * The entity tag of a response. A note's own etag, as writes take it; where the response contains more than
 * the note, followed by a dash and a digest of the rest. Without a note, a digest of everything.
 */
export function entityTag(output: Readonly<Record<string, unknown>>): string {
  const { etag } = output;
  if (typeof etag !== 'string') return `"${digest(output)}"`;
  const live = LIVE_PARTS.some((part) => output[part] !== undefined);
  return live ? `"${etag}-${digest(output)}"` : `"${etag}"`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

/** True when If-None-Match names the current version. */
export function isUnchanged(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).includes(unquoted(tag));
}

/** True when If-Match names the current version. */
export function matches(ifMatch: string, tag: string): boolean {
  return ifMatch.trim() === '*' || tagsIn(ifMatch).includes(unquoted(tag));
}

export interface Precondition {
  /** Fields for the operation's input. */
  readonly input: Readonly<Record<string, unknown>>;
  /** A conflict is then answered with 412, not 409. */
  readonly given: boolean;
}

/**
 * If-Match and If-None-Match of a write as input of the operation.
 *
 * @throws LecternError `invalid_input` when the operation does not support them, `conflict` when they already
 *   fail
 */
export async function writePrecondition(
  headers: Headers,
  operation: Operation,
  path: string | undefined,
  vault: () => Promise<VaultSession>,
): Promise<Precondition> {
  const takes = (key: string) => Object.hasOwn(inputSchema(operation.input).properties, key);
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  if (ifMatch !== null && (path === undefined || !takes('if_match'))) throw unusable('If-Match', operation);
  if (ifNoneMatch !== null && (ifNoneMatch.trim() !== '*' || !takes('if_not_exists')))
    throw unusable('If-None-Match', operation);
  if (ifMatch !== null && ifNoneMatch !== null) throw bothAtOnce(path ?? '');
  if (ifNoneMatch !== null) return { input: { if_not_exists: true }, given: true };
  if (ifMatch === null || path === undefined) return { input: {}, given: false };
  const tags = tagsIn(ifMatch).map((tag) => tag.slice(0, 16));
  const [only] = tags;
  if (tags.length === 1 && only !== undefined && only !== '*')
    return { input: { if_match: only }, given: true };
  // With several tags, or `*`: the write is based on the current version if that is one of them.
  const current = await currentEtag(path, await vault());
  if (current === undefined || !(tags.includes('*') || tags.includes(current)))
    throw preconditionFailed(path);
  return { input: { if_match: current }, given: true };
}

async function currentEtag(path: string, vault: VaultSession): Promise<string | undefined> {
  const found = await vault.exists(path);
  if (!found.exists || found.path !== path) return undefined;
  if (found.kind === 'note') return (await vault.open(path)).etag;
  return found.kind === 'canvas' ? (await vault.file(path, CANVAS_BYTES)).etag : undefined;
}

/** Entity tags without quotes and weakness mark; a list is allowed. */
function tagsIn(header: string): string[] {
  return header
    .split(',')
    .map(unquoted)
    .filter((tag) => tag !== '');
}

function unquoted(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');
}

function unusable(header: string, { name }: Operation): LecternError {
  return new LecternError('invalid_input', `${name} cannot hold to ${header} as it was sent.`, {
    next: 'If-Match takes the ETag of a note that is changed; If-None-Match takes * where a note is put.',
  });
}

/** One requires the note to exist, the other to be absent: one of them always fails. */
function bothAtOnce(path: string): LecternError {
  return new LecternError('conflict', `${path} cannot be both new and in a version named.`, {
    details: { path },
    next: 'Send If-Match to change a note, or If-None-Match: * to make one.',
  });
}

function preconditionFailed(path: string): LecternError {
  return new LecternError('conflict', `${path} is not in any of the versions named.`, {
    details: { path },
    next: 'Read it again and base the change on what it is now.',
  });
}
