import type { Access } from './access.ts';
import type { NoteWriter, VaultParts } from './parts.ts';
import type { Actor } from './session.ts';
import type { RepeatableCall } from './write/repeated.ts';
import { withRestored, withTrashNames } from './write/trash.ts';
import type { WritingSession } from './write/types.ts';
import { writingSession } from './writing.ts';

type Write = Exclude<keyof WritingSession, 'history' | 'trashList'>;

type Answer<Name extends Write> = Awaited<ReturnType<WritingSession[Name]>>;

/**
 * For each write method, how an answer cut short by a crash is completed. The compiler demands an entry for a
 * new method.
 */
type Completing = {
  readonly [Name in Write]: (
    parts: VaultParts,
    access: Access,
    answer: Answer<Name>,
  ) => Answer<Name> | Promise<Answer<Name>>;
};

const asItIs = <T>(_parts: VaultParts, _access: Access, answer: T): T => answer;

const COMPLETING: Completing = {
  write: asItIs,
  patch: asItIs,
  writeCanvas: asItIs,
  patchCanvas: asItIs,
  setFacts: asItIs,
  remove: withTrashNames,
  move: asItIs,
  makeFolder: asItIs,
  renameTag: asItIs,
  undo: asItIs,
  trashRestore: (parts, _access, answer) => withRestored(parts, answer),
};

/**
 * The write half of a session during one repeatable call: a write done by an earlier, interrupted call gets
 * its recorded answer; the first write that was not done continues the call.
 */
export function repeatableWriting(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  call: RepeatableCall,
): WritingSession {
  const repeatable = <Name extends Write>(name: Name) => {
    const once = async (...given: Parameters<WritingSession[Name]>): Promise<Answer<Name>> => {
      const { key, inputHash } = call;
      const own = { key, inputHash, part: call.nextPart() };
      const writer = await parts.writer();
      const repeated = await writer.repeated(own);
      // Recorded by the same method.
      if (repeated !== undefined) return COMPLETING[name](parts, access, repeated.answer as Answer<Name>);
      const keeping: NoteWriter = {
        named: (path) => writer.named(path),
        repeated: (write) => writer.repeated(write),
        commit: (context, plan, scope) =>
          writer.commit(context.isLate ? context : { ...context, repeatable: own }, plan, scope),
      };
      const write = writingSession({ ...parts, writer: async () => keeping }, access, actor)[name] as (
        ...given: Parameters<WritingSession[Name]>
      ) => Promise<Answer<Name>>;
      return COMPLETING[name](parts, access, await write(...given));
    };
    return once;
  };
  const writes = (Object.keys(COMPLETING) as Write[]).map((name) => [name, repeatable(name)]);
  return { ...writingSession(parts, access, actor), ...Object.fromEntries(writes) };
}
