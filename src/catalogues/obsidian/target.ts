import * as z from 'zod';
import { LecternError } from '../../errors.ts';
import { literalGlob } from '../../notes/glob.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { ToolContext, VaultLookups } from '../catalogue.ts';
import { JsonRpcError } from '../json-rpc-error.ts';
import { ambiguous, invalidParams } from './failures.ts';

/** The arguments that identify a note. */
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
 * Opens the note that a call names. A path is exact; a name of several notes is refused.
 *
 * @throws JsonRpcError when no note or several notes match
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
 * Opens the note that a call changes. While the index is incomplete, a name that may not be unique is
 * refused.
 *
 * @throws JsonRpcError when no note or several notes match, or uniqueness is unknown
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

/** The note, if the call names one. */
export async function noteIfNamed(given: Target, context: ToolContext): Promise<OpenedNote | undefined> {
  return given.name === undefined && given.path === undefined ? undefined : await noteOf(given, context);
}

/** Paths of notes that end with the name; only the exact path when the name contains folders and matches. */
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

/** A path from the root of the vault; commands write it with slashes around it. */
export function withoutSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/** @throws LecternError `invalid_input` for a name that contains a slash */
export function plainName(name: string): string {
  if (!/[/\\]/.test(name)) return name;
  throw new LecternError('invalid_input', `A name has no slashes: ${name.slice(0, 100)}`, {
    next: 'To put the note elsewhere use obsidian_move_note.',
  });
}
