import { isTagName, tagKey } from '../../notes/structure/tags.ts';

/** Which tags may be suggested. Held after the model has answered: what it was told does not matter. */
export interface VocabularyRules {
  /** Tags that the vault has. */
  readonly useExisting: boolean;
  /** Tags that nobody has used so far. */
  readonly allowNew: boolean;
  /** If there are any, nothing but these (and new ones, where those are allowed). */
  readonly candidates: readonly string[];
  /** Neither these nor tags below them. */
  readonly forbid: readonly string[];
  /** Only tags below this one; others are put there. */
  readonly namespace?: string | undefined;
  readonly maxPerNote: number;
  /** 0..1 */
  readonly minConfidence: number;
}

export interface TagSuggestion {
  /** Without `#`. */
  readonly tag: string;
  /** 0..1 */
  readonly confidence: number;
  readonly because: readonly string[];
}

export interface AllowedTag extends TagSuggestion {
  /** The vault does not have it so far. */
  readonly isNew: boolean;
}

export const REJECTIONS = [
  'not_a_tag',
  'has_it',
  'forbidden',
  'not_in_vocabulary',
  'low_confidence',
  'max_per_note',
] as const;
export type Rejection = (typeof REJECTIONS)[number];

export interface Enforced {
  /** The surest first. */
  readonly allowed: readonly AllowedTag[];
  readonly rejected: readonly { readonly tag: string; readonly reason: Rejection }[];
}

/** Tags of a vault by their keys, as they are spelled there. */
export type KnownTags = ReadonlyMap<string, string>;

/**
 * Holds suggestions to the rules.
 *
 * @param known the vault's tags
 * @param own tags that the note has already
 */
export function enforce(
  given: readonly TagSuggestion[],
  rules: VocabularyRules,
  known: KnownTags,
  own: readonly string[],
): Enforced {
  const candidates = new Map(rules.candidates.map((tag) => [tagKey(bare(tag)), bare(tag)]));
  const forbidden = rules.forbid.map((tag) => tagKey(bare(tag)));
  const has = new Set(own.map(tagKey));
  const allowed = new Map<string, AllowedTag>();
  const rejected: { tag: string; reason: Rejection }[] = [];
  for (const suggestion of [...given].sort((a, b) => b.confidence - a.confidence)) {
    const tag = spelled(placed(bare(suggestion.tag), rules.namespace), known, candidates);
    const key = tagKey(tag);
    if (allowed.has(key)) continue;
    const reason = reasonAgainst(key, suggestion.confidence);
    if (reason === undefined) allowed.set(key, { ...suggestion, tag, isNew: !known.has(key) });
    else rejected.push({ tag, reason });
  }
  return { allowed: [...allowed.values()], rejected };

  function reasonAgainst(key: string, confidence: number): Rejection | undefined {
    if (!isTagName(key)) return 'not_a_tag';
    if (has.has(key)) return 'has_it';
    if (forbidden.some((tag) => isBelow(key, tag))) return 'forbidden';
    if (!isInVocabulary(key)) return 'not_in_vocabulary';
    // Not a number is no confidence either.
    if (!(confidence >= rules.minConfidence)) return 'low_confidence';
    return allowed.size >= rules.maxPerNote ? 'max_per_note' : undefined;
  }

  function isInVocabulary(key: string): boolean {
    if (candidates.has(key)) return true;
    if (known.has(key)) return rules.useExisting && candidates.size === 0;
    return rules.allowNew;
  }
}

/** `#Two words` → `Two-words`. */
function bare(tag: string): string {
  return tag
    .normalize('NFC')
    .trim()
    .replace(/^#+/, '')
    .replace(/^\/+|\/+$/g, '')
    .replace(/\s+/g, '-');
}

function placed(tag: string, namespace: string | undefined): string {
  if (namespace === undefined) return tag;
  const place = bare(namespace);
  return isBelow(tagKey(tag), tagKey(place)) ? tag : `${place}/${tag}`;
}

/** As the vault spells it, else as the caller does. */
function spelled(tag: string, known: KnownTags, candidates: ReadonlyMap<string, string>): string {
  const key = tagKey(tag);
  return known.get(key) ?? candidates.get(key) ?? tag;
}

/** The tag itself, or one nested in it. */
function isBelow(key: string, parent: string): boolean {
  return key === parent || key.startsWith(`${parent}/`);
}
