import { isTagName, tagKey } from '../../notes/structure/tags.ts';

/** Which tags may be suggested. They are enforced on the answer of the model, whatever its prompt said. */
export interface VocabularyRules {
  /** Whether tags of the vault are allowed. */
  readonly useExisting: boolean;
  /** Whether tags that no note has are allowed. */
  readonly allowNew: boolean;
  /** When not empty, only these are allowed (and new ones, if those are allowed). */
  readonly candidates: readonly string[];
  /** These tags and tags nested in them are not allowed. */
  readonly forbid: readonly string[];
  /** Tags must be nested in this one; others are moved below it. */
  readonly namespace?: string | undefined;
  readonly maxPerNote: number;
  /** Lowest confidence, 0..1. */
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
  /** No note of the vault has it. */
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
  /** Sorted by confidence, highest first. */
  readonly allowed: readonly AllowedTag[];
  readonly rejected: readonly { readonly tag: string; readonly reason: Rejection }[];
}

/** Tags of a vault as spelled there, by their key. */
export type KnownTags = ReadonlyMap<string, string>;

/**
 * Applies the rules to suggestions.
 *
 * @param known the vault's tags
 * @param own tags of the note, which are not suggested again
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
    // The negated comparison also rejects NaN.
    if (!(confidence >= rules.minConfidence)) return 'low_confidence';
    return allowed.size >= rules.maxPerNote ? 'max_per_note' : undefined;
  }

  function isInVocabulary(key: string): boolean {
    if (candidates.has(key)) return true;
    if (known.has(key)) return rules.useExisting && candidates.size === 0;
    return rules.allowNew;
  }
}

/** Converts a suggestion to a tag name: `#Two words` → `Two-words`. */
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

/** The tag in the spelling of the vault, else of the candidates, else as given. */
function spelled(tag: string, known: KnownTags, candidates: ReadonlyMap<string, string>): string {
  const key = tagKey(tag);
  return known.get(key) ?? candidates.get(key) ?? tag;
}

/** Whether a tag is the other one or nested in it. */
function isBelow(key: string, parent: string): boolean {
  return key === parent || key.startsWith(`${parent}/`);
}
