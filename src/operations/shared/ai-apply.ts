import * as z from 'zod';
import { isLecternError, LecternError } from '../../errors.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import { inParallel } from '../../stores/turns.ts';
import type { VaultSession } from '../../vault/session.ts';
import type { WritesSometimes } from '../operation.ts';
import {
  type AiScope,
  assertSomething,
  type ResolvedScope,
  resolveScope,
  type ScopedNote,
  scopeOutput,
  toScopeOutput,
} from './ai-scope.ts';
import { withNotice } from './fields.ts';
import { counted, noticed, paragraphs } from './rendering.ts';
import { ifMatch, writeInput, writeOptions } from './write-fields.ts';

/** What the AI tools that may write suggestions into notes have in common. */

export const applyInput = {
  apply: z.boolean().default(false).describe('Write what is suggested into the notes; else it is only shown'),
  apply_mode: z
    .enum(['merge', 'replace', 'only_empty'])
    .default('merge')
    .describe('merge adds to what is there, only_empty leaves alone what has a value'),
  if_match: ifMatch,
  ...writeInput,
};
export type ApplyMode = z.output<typeof applyInput.apply_mode>;

export const applying: WritesSometimes = {
  when: ({ apply }) => apply === true,
  inputs: Object.keys(applyInput),
};

/** What a row of an answer says of the write of its note. */
export const appliedOutput = {
  /** Absent = nothing was to be written. */
  changed: z.boolean().optional(),
  /** Of the note afterwards. */
  new_etag: z.string().optional(),
  write_id: z.number().int().optional(),
  diff: z.string().optional(),
  /** Why there is nothing of this note, or why it was not written. */
  problem: z.string().optional(),
};
const appliedRow = z.object(appliedOutput);
export type Applied = z.output<typeof appliedRow>;

interface ApplyInput {
  readonly apply: boolean;
  readonly dry_run: boolean;
  readonly if_match?: string | undefined;
}

/** What an answer says of the notes it is about. */
export const suggestionOutput = {
  ...scopeOutput,
  dry_run: z.boolean(),
  notice: z.string().optional(),
};

/**
 * The notes that are in scope.
 *
 * @throws LecternError `not_found` when there are none, `invalid_input` when one etag is to stand for several
 */
export async function suggestionScope(
  vault: VaultSession,
  { scope: given, if_match }: ApplyInput & { readonly scope: AiScope },
  signal: AbortSignal,
): Promise<ResolvedScope> {
  const scope = await resolveScope(vault, given, signal);
  assertSomething(scope);
  if (if_match === undefined || scope.taken.length === 1) return scope;
  throw new LecternError(
    'invalid_input',
    `if_match is the etag of one note, and ${scope.taken.length} are in scope.`,
    {
      next: 'Leave it out: each note is written only as it was read for this. Or name one note in scope.paths.',
    },
  );
}

/** @param cut notes of which the model was sent the beginning alone */
export function toSuggestionOutput(
  scope: ResolvedScope,
  { dry_run }: ApplyInput,
  cut: number,
  ...said: readonly (string | undefined)[]
) {
  return {
    ...toScopeOutput(scope),
    dry_run,
    ...withNotice(
      ...said,
      cut === 0 ? undefined : `of ${counted(cut, 'note')} the model was sent the beginning alone`,
    ),
  };
}

/**
 * Writes ops into a note as it was read for the suggestion: when it has been changed since, it is left alone.
 *
 * @returns nothing when nothing was to be written
 */
async function applyOps(
  { vault, tool, input }: SuggestingCall,
  { note }: ScopedNote,
  ops: readonly PatchOp[],
): Promise<Applied> {
  if (!input.apply || ops.length === 0) return {};
  try {
    const options = writeOptions(tool, { dry_run: input.dry_run, if_match: input.if_match ?? note.etag });
    const { changed, etag, writeId, diff } = await vault.patch(note.path, ops, options);
    return { changed, new_etag: etag, diff, ...(writeId !== undefined && { write_id: writeId }) };
  } catch (error) {
    return { changed: false, problem: problemOf(error) };
  }
}

/** @throws anything that is no error of ours, as a cancelled call */
function problemOf(error: unknown): string {
  if (!isLecternError(error)) throw error;
  return `${error.code}: ${error.message}`;
}

/** Notes that a model is asked about at the same time. */
const AT_ONCE = 4;

interface SuggestingCall {
  readonly vault: VaultSession;
  readonly tool: string;
  readonly scope: ResolvedScope;
  readonly input: ApplyInput;
  readonly signal: AbortSignal;
}

/** What is suggested for one note: as its row says it, and as it would be written. */
interface Suggestion<Own> {
  readonly own: Own;
  readonly ops: readonly PatchOp[];
  /** The model was sent the beginning of the note alone. */
  readonly isCut: boolean;
}

/**
 * Suggests for every note of a scope, in their order, and writes what is to be written. What fails for one does not end
 * the others; what fails for all fails.
 *
 * @param nothing the row of a note for which it failed
 * @returns a row for each, and how many were cut
 * @throws LecternError the first, when there is nothing else
 */
export async function suggestForEach<Own extends object>(
  call: SuggestingCall,
  suggest: (scoped: ScopedNote) => Promise<Suggestion<Own>>,
  nothing: (scoped: ScopedNote) => Own,
): Promise<{ rows: ({ path: string; etag: string } & Own & Applied)[]; cut: number }> {
  const { taken } = call.scope;
  const rows: ({ path: string; etag: string } & Own & Applied)[] = [];
  const errors: unknown[] = [];
  let cut = 0;
  await inParallel(taken.entries(), AT_ONCE, async ([at, scoped]) => {
    call.signal.throwIfAborted();
    const { path, etag } = scoped.note;
    try {
      const { own, ops, isCut } = await suggest(scoped);
      if (isCut) cut += 1;
      rows[at] = { path, etag, ...own, ...(await applyOps(call, scoped, ops)) };
    } catch (error) {
      rows[at] = { path, etag, ...nothing(scoped), problem: problemOf(error) };
      errors.push(error);
    }
  });
  if (errors.length > 0 && errors.length === taken.length) throw errors[0];
  return { rows, cut };
}

/** `, written` or what else became of a note, behind its row. */
export function appliedText({ changed, problem, write_id }: Applied, isDryRun: boolean): string {
  if (problem !== undefined) return noticed(problem);
  if (changed === undefined) return '';
  if (!changed) return ' (nothing to change)';
  return isDryRun
    ? ' (would be written)'
    : ` (written${write_id === undefined ? '' : `, write ${write_id}`})`;
}

export function withDiffs(text: string, rows: readonly Applied[]): string {
  return paragraphs(text, ...rows.map(({ diff = '' }) => diff));
}
