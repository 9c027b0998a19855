import * as z from 'zod';
import { LecternError } from '../../errors.ts';
import { literalGlob } from '../../notes/glob.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { ToolContext, VaultLookups } from '../catalogue.ts';
import { JsonRpcError } from '../json-rpc-error.ts';
import { ambiguous, invalidParams } from './failures.ts';

/** How a call says which note it means. */
export const target = {
  name: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Note name (without .md extension), resolved like a wikilink, or exact path'),
  path: z.string().min(1).optional().describe('Exact path from the vault root; instead of name'),
};

export const TARGET_NAMES = { file: 'name' };

interface Target {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
}

const MATCHES_SHOWN = 50;

/**
 * The note that a call means. A path is exact; a name that several notes have is never guessed at.
 *
 * @throws JsonRpcError when it names none or several
 */
export async function noteOf({ name, path }: Target, { vault }: ToolContext): Promise<OpenedNote> {
  const session = await vault();
  if (path !== undefined) return await session.open(path);
  if (name === undefined) throw invalidParams('name or path is required');
  if (/\.md$/i.test(name)) return await session.open(name);
  const matches = await notesNamed(name, session);
  const [only] = matches;
  if (matches.length > 1) throw ambiguous(`${matches.length} notes match ${name}.`, matches);
  return await session.open(only ?? name);
}

/**
 * The note that a call changes. While names are not all known, one that only seems to be alone is not taken.
 *
 * @throws JsonRpcError when it names none, several, or one that cannot be told from others yet
 */
export async function noteToChange(given: Target, context: ToolContext): Promise<OpenedNote> {
  const note = await noteOf(given, context);
  const isExact = note.path === given.path || note.path === given.name;
  const { state } = (await context.vault()).indexState();
  if (isExact || state === 'ready' || state === 'checking') return note;
  throw new JsonRpcError(-32_000, `Whether other notes have the name of ${note.path} is not known yet.`, {
    errorCode: 'INDEX_NOT_READY',
    nextStep: `Call again with path: ${note.path}`,
  });
}

/** The note when the call names one. */
export async function noteIfNamed(given: Target, context: ToolContext): Promise<OpenedNote | undefined> {
  return given.name === undefined && given.path === undefined ? undefined : await noteOf(given, context);
}

/** Notes whose path ends so; the one with exactly this path when the name holds folders. */
async function notesNamed(name: string, session: VaultLookups): Promise<readonly string[]> {
  const plain = name.replace(/^\/+/, '');
  await session.untilIndexed();
  const page = await session.list({ kinds: ['note'], pathGlob: `**/${literalGlob(plain)}.md` }, 'path', {
    limit: MATCHES_SHOWN,
  });
  const paths = page.items.map(({ path }) => path);
  const exact = plain.includes('/') ? paths.find((path) => path === `${plain}.md`) : undefined;
  return exact === undefined ? paths : [exact];
}

/** A path from the root of the vault, as commands take it with slashes around it. */
export function withoutSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/** @throws LecternError `invalid_input` for a name that is a path */
export function plainName(name: string): string {
  if (!/[/\\]/.test(name)) return name;
  throw new LecternError('invalid_input', `A name has no slashes: ${name.slice(0, 100)}`, {
    next: 'To put the note elsewhere use obsidian_move_note.',
  });
}
