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

/** Inputs, outputs and writing of the AI tools that can write their suggestions into notes. */

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

/** The part of a row that describes the write of its note. */
export const appliedOutput = {
  /** Absent when nothing was to be written. */
  changed: z.boolean().optional(),
  /** Etag of the note after the write. */
  new_etag: z.string().optional(),
  write_id: z.number().int().optional(),
  diff: z.string().optional(),
  /** Why there is no suggestion for this note, or why it was not written. */
  problem: z.string().optional(),
};
const appliedRow = z.object(appliedOutput);
export type Applied = z.output<typeof appliedRow>;

interface ApplyInput {
  readonly apply: boolean;
  readonly dry_run: boolean;
  readonly if_match?: string | undefined;
}

/** The part of an answer that describes its notes. */
export const suggestionOutput = {
  ...scopeOutput,
  dry_run: z.boolean(),
  notice: z.string().optional(),
};

/**
 * Reads the notes of the scope.
 *
 * @throws LecternError `not_found` when there are none, `invalid_input` when one etag is given for several
 *   notes
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

/** @param cut number of notes of which only the beginning was sent to the model */
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
 * Writes ops into a note if it is unchanged since it was read for the suggestion.
 *
 * @returns no fields when nothing was to be written
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

/** The message of a LecternError. Any other error is thrown, such as a cancelled call. */
function problemOf(error: unknown): string {
  if (!isLecternError(error)) throw error;
  return `${error.code}: ${error.message}`;
}

/** Limit of notes that are processed in parallel. */
const AT_ONCE = 4;

interface SuggestingCall {
  readonly vault: VaultSession;
  readonly tool: string;
  readonly scope: ResolvedScope;
  readonly input: ApplyInput;
  readonly signal: AbortSignal;
}

/** The suggestion for one note: the fields of its row, and the ops that write it. */
interface Suggestion<Own> {
  readonly own: Own;
  readonly ops: readonly PatchOp[];
  /** Only the beginning of the note was sent to the model. */
  readonly isCut: boolean;
}

/**
 * Makes a suggestion for every note of a scope, in their order, and writes those that are to be written. An
 * error for one note becomes the `problem` of its row.
 *
 * @param nothing makes the row of a note that failed
 * @returns a row for each note, and the number of notes that were cut
 * @throws LecternError the first error when every note failed
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

/** The outcome of a write as text after its row, such as `, written`. */
export function appliedText({ changed, problem, write_id }: Applied, isDryRun: boolean): string {
  if (problem !== undefined) return noticed(problem);
  if (changed === undefined) return '';
  if (!changed) return ' (nothing to change)';
  return isDryRun
    ? ' (would be written)'
    : ` (written${write_id === undefined ? '' : `, write ${write_id}`})`;
}

/** Appends the diffs of the rows to a text. */
export function withDiffs(text: string, rows: readonly Applied[]): string {
  return paragraphs(text, ...rows.map(({ diff = '' }) => diff));
}
