import { isDeepStrictEqual } from 'node:util';
import { LecternError } from '../../errors.ts';
import type { Dialect, Frontmatter, Property, Span } from '../model.ts';
import { applySplices, type Splice } from '../splice.ts';
import { setOwn } from './block.ts';
import { errorsIn, parseFrontmatter } from './frontmatter.ts';

const MAX_DEPTH = 50;

/**
 * The note's properties, if they can be edited.
 * @throws LecternError `invalid_input` with the line and reason when the block has an error
 */
export function editableFrontmatter(text: string, dialect: Dialect): Frontmatter | undefined {
  const frontmatter = parseFrontmatter(text, dialect);
  const [error] = errorsIn(frontmatter);
  if (error === undefined) return frontmatter;
  throw new LecternError(
    'invalid_input',
    `The properties cannot be edited: ${error.message}, line ${error.line}. Nothing was changed.`,
    {
      details: { line: error.line, reason: error.code },
      next: 'Repair this line first, with the op replace_text and include_frontmatter, then set the property again.',
    },
  );
}

/**
 * The property to edit: an exact match, otherwise the only one that differs in case.
 * @throws LecternError `ambiguous` when several differ from `key` in case only
 */
export function propertyToEdit(frontmatter: Frontmatter, key: string): Property | undefined {
  const exact = frontmatter.properties.find((one) => one.key === key);
  if (exact !== undefined) return exact;
  const wanted = keyForm(key, frontmatter.kind);
  const near = frontmatter.properties.filter((one) => keyForm(one.key, frontmatter.kind) === wanted);
  if (near.length < 2) return near[0];
  const candidates = near.map((one) => one.key);
  throw new LecternError(
    'ambiguous',
    `The note has several properties named like "${key}": ${candidates.join(', ')}.`,
    {
      details: { candidates },
      next: 'Pass the name exactly as one of them is written.',
    },
  );
}

function keyForm(key: string, kind: Frontmatter['kind']): string {
  const form = key.normalize('NFC').toLowerCase();
  return kind === 'logseq' ? form.replaceAll('_', '-') : form;
}

/**
 * A copy of a JSON value.
 * @throws LecternError `invalid_input` for a value JSON cannot represent
 */
export function jsonValue(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (depth < MAX_DEPTH && Array.isArray(value)) return value.map((one) => jsonValue(one, depth + 1));
  if (depth < MAX_DEPTH && typeof value === 'object') {
    const copy: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(value)) setOwn(copy, key, jsonValue(one, depth + 1));
    return copy;
  }
  throw new LecternError(
    'invalid_input',
    'A property value must be JSON: text, number, boolean, null, list or map.',
    {
      next: 'Pass dates and large numbers as text.',
    },
  );
}

/** The intended effect of an edit. */
export type Edited =
  | { readonly change: 'create' | 'add' | 'set'; readonly key: string; readonly value: unknown }
  /** `span`: the text removed with the pair, when that is more than the pair. */
  | { readonly change: 'delete'; readonly key: string; readonly span?: Span };

/**
 * Parses the edited note and accepts the splices only when the one property is as intended, every other is
 * unchanged in source and value, and no byte outside the pair changed.
 * @throws LecternError `invalid_input` when this edit is impossible
 */
export function checkEdited(
  text: string,
  dialect: Dialect,
  splices: readonly Splice[],
  edited: Edited,
): readonly Splice[] {
  if (!holds(text, dialect, splices, edited)) throw refusal(edited.key);
  return splices;
}

/**
 * The first way to make an edit that passes {@link checkEdited}; ways that do not apply are undefined.
 * @throws LecternError `invalid_input` when none does
 */
export function firstThatHolds(
  text: string,
  dialect: Dialect,
  ways: readonly (() => readonly Splice[] | undefined)[],
  edited: Edited,
): readonly Splice[] {
  for (const way of ways) {
    const splices = way();
    if (splices !== undefined && holds(text, dialect, splices, edited)) return splices;
  }
  throw refusal(edited.key);
}

function refusal(key: string): LecternError {
  return new LecternError(
    'invalid_input',
    `The property "${key}" cannot be edited without touching what is around it; nothing was changed.`,
    {
      details: { key },
      next: 'Edit the front matter as text, with the op replace_text and include_frontmatter.',
    },
  );
}

function holds(text: string, dialect: Dialect, splices: readonly Splice[], edited: Edited): boolean {
  const result = applySplices(text, splices);
  const before = parseFrontmatter(text, dialect);
  const after = parseFrontmatter(result, dialect);
  if (after === undefined || errorsIn(after).length > 0) return false;
  const property = after.properties.find((one) => one.key === edited.key);
  if (edited.change === 'delete') {
    if (property !== undefined) return false;
  } else if (property === undefined || !isDeepStrictEqual(property.value, edited.value)) {
    return false;
  }
  const bodyBefore = text.slice(before?.span.end ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0));
  if (result.slice(after.span.end) !== bodyBefore) return false;
  return (
    sameOthers(text, before?.properties ?? [], result, after.properties, edited.key) &&
    sameAround(text, before, result, after, edited)
  );
}

function sameOthers(
  text: string,
  before: readonly Property[],
  result: string,
  after: readonly Property[],
  key: string,
): boolean {
  const old = before.filter((one) => one.key !== key);
  const now = after.filter((one) => one.key !== key);
  return (
    old.length === now.length &&
    old.every((one, i) => {
      const other = now[i];
      return (
        other !== undefined &&
        one.key === other.key &&
        text.slice(one.span.start, one.span.end) === result.slice(other.span.start, other.span.end) &&
        isDeepStrictEqual(one.value, other.value)
      );
    })
  );
}

/** Everything but the pair, byte for byte. In JSON the comma beside a pair comes and goes with it. */
function sameAround(
  text: string,
  before: Frontmatter | undefined,
  result: string,
  after: Frontmatter,
  edited: Edited,
): boolean {
  if (edited.change === 'create' || before === undefined) return true;
  const gone = edited.change === 'delete' ? edited.span : undefined;
  const old = gone ? text.slice(0, gone.start) + text.slice(gone.end) : without(text, before, edited.key);
  const now = without(result, after, edited.key);
  return old === now || (edited.change !== 'set' && isInline(before) && commaless(old) === commaless(now));
}

function without(text: string, frontmatter: Frontmatter, key: string): string {
  const span = frontmatter.properties.find((one) => one.key === key)?.span;
  return span === undefined ? text : text.slice(0, span.start) + text.slice(span.end);
}

/** Pairs of a flow map end where their value ends, those of a block map with their line. */
function isInline({ properties }: Frontmatter): boolean {
  return properties.every(
    (one) =>
      one.span.start === one.keySpan.start && one.span.end === Math.max(one.keySpan.end, one.valueSpan.end),
  );
}

function commaless(text: string): string {
  return text.replace(/[,\s]/g, '');
}
