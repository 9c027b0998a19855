import {
  INPUT_DEPTH,
  INPUT_VALUES,
  NAME_CHARACTERS,
  PATH_LEVELS,
  READ_CHARACTERS,
  WRITE_CHARACTERS,
} from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import type { Effects } from '../operation.ts';

/** Inputs that are names; all others may be text. */
const NAMES =
  /^(?:path|from|to|trash_path|tag|heading|block_id|key|if_match|cursor|setting|name|prefix|view|below)$/;

/** Inputs that are places. */
const PATHS = /^(?:path|from|to|trash_path|below)$/;

/**
 * Limits the arguments of a call before they are used: number of values, nesting depth, length of text and of
 * names.
 *
 * @throws LecternError `too_large`
 */
export function assertBounded(name: string, effects: Effects, values: Record<string, unknown>): void {
  const mostText = effects === 'reads' ? READ_CHARACTERS : WRITE_CHARACTERS;
  let count = 0;
  let text = 0;
  // A work list instead of recursion, because nesting may be unlimited.
  const open: { value: unknown; depth: number; key?: string }[] = Object.entries(values).map(
    ([key, value]) => ({
      value,
      depth: 1,
      key,
    }),
  );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth, key } = next;
    count += 1;
    if (count > INPUT_VALUES) throw tooLarge(name, `more than ${INPUT_VALUES} values`, INPUT_VALUES);
    if (typeof value === 'string') {
      text += value.length;
      if (key !== undefined && NAMES.test(key) && value.length > NAME_CHARACTERS)
        throw tooLarge(
          name,
          `a ${key} of ${value.length} characters, more than ${NAME_CHARACTERS}`,
          NAME_CHARACTERS,
        );
      if (key !== undefined && PATHS.test(key) && value.split('/').length > PATH_LEVELS)
        throw tooLarge(name, `a ${key} of more than ${PATH_LEVELS} levels`, PATH_LEVELS);
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth > INPUT_DEPTH) throw tooLarge(name, `more than ${INPUT_DEPTH} levels`, INPUT_DEPTH);
    // The keys of a note's properties are the owner's names.
    const isOwn = key === 'frontmatter' || key === 'value';
    const isList = Array.isArray(value);
    for (const [inner, held] of isList ? value.entries() : Object.entries(value)) {
      if (typeof inner === 'string') text += inner.length;
      open.push({
        value: held,
        depth: depth + 1,
        ...(isOwn ? { key: 'value' } : !isList && { key: String(inner) }),
      });
      if (open.length > INPUT_VALUES) throw tooLarge(name, `more than ${INPUT_VALUES} values`, INPUT_VALUES);
    }
    if (text > mostText) break;
  }
  if (text > mostText) throw tooLarge(name, `more than ${mostText} characters`, mostText);
}

function tooLarge(name: string, what: string, limit: number): LecternError {
  return new LecternError('too_large', `The arguments of ${name} have ${what}.`, {
    details: { limit },
    next: 'Nothing was changed. Send less at once, in several calls.',
  });
}
