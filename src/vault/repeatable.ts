import type { Access } from './access.ts';
import type { NoteWriter, VaultParts } from './parts.ts';
import type { Actor } from './session.ts';
import type { RepeatableCall } from './write/repeated.ts';
import type { WritingSession } from './write/types.ts';
import { writingSession } from './writing.ts';

type Write = Exclude<keyof WritingSession, 'history' | 'trashList'>;

/** A new way to write is asked for here by the compiler. */
const WRITES: Readonly<Record<Write, true>> = {
  write: true,
  patch: true,
  setFacts: true,
  remove: true,
  move: true,
  renameTag: true,
  undo: true,
  trashRestore: true,
};

/**
 * The writing half of a session during one repeatable call: a write that was done before, by a call that was cut short,
 * is answered as it was then; the first that was not is where the call goes on.
 */
export function repeatableWriting(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  call: RepeatableCall,
): WritingSession {
  const session: Record<string, unknown> = { ...writingSession(parts, access, actor) };
  for (const name of Object.keys(WRITES) as Write[]) {
    session[name] = async (...given: unknown[]): Promise<unknown> => {
      const { key, inputHash } = call;
      const repeatable = { key, inputHash, part: call.nextPart() };
      const writer = await parts.writer();
      const repeated = await writer.repeated(repeatable);
      if (repeated !== undefined) return repeated.answer;
      const keeping: NoteWriter = {
        named: (path) => writer.named(path),
        repeated: (write) => writer.repeated(write),
        commit: (context, plan, scope) =>
          writer.commit(context.isLate ? context : { ...context, repeatable }, plan, scope),
      };
      const own = writingSession({ ...parts, writer: async () => keeping }, access, actor);
      return (own[name] as (...given: unknown[]) => Promise<unknown>)(...given);
    };
  }
  return session as unknown as WritingSession;
}
