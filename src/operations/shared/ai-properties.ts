import { isRecord } from '../../is-record.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { ApplyMode } from './ai-apply.ts';

/** The value of a note's property; undefined when it is missing or empty. */
export function ownValue({ parsed }: Pick<OpenedNote, 'parsed'>, name: string): unknown {
  const data = parsed.frontmatter?.data ?? {};
  const key = Object.keys(data).find((each) => each.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : data[key];
  return isEmpty(value) ? undefined : value;
}

/**
 * The ops that write values into the properties of a note. `merge` sets missing values and adds missing items
 * to lists and keys to maps; `only_empty` sets missing values only; `replace` sets all.
 */
export function propertyOps(
  note: Pick<OpenedNote, 'parsed'>,
  values: ReadonlyMap<string, unknown>,
  mode: ApplyMode,
): PatchOp[] {
  return [...values].flatMap(([key, value]): PatchOp[] => {
    const current = ownValue(note, key);
    if (current === undefined || mode === 'replace') return [{ op: 'set_frontmatter', key, value }];
    if (mode === 'only_empty') return [];
    const merged = merge(current, value);
    return merged === undefined ? [] : [{ op: 'set_frontmatter', key, value: merged }];
  });
}

/** @returns undefined when the present value lacks nothing, or is not a list or map */
function merge(current: unknown, value: unknown): unknown {
  if (Array.isArray(current) && Array.isArray(value)) {
    const has = new Set(current.map((item) => JSON.stringify(item)));
    const lacking = value.filter((item) => !has.has(JSON.stringify(item)));
    return lacking.length === 0 ? undefined : [...current, ...lacking];
  }
  if (isRecord(current) && isRecord(value)) {
    const lacking = Object.entries(value).filter(([key]) => isEmpty(current[key]));
    return lacking.length === 0 ? undefined : { ...current, ...Object.fromEntries(lacking) };
  }
  return undefined;
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
