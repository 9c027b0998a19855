import * as z from 'zod';
import type { Assistant } from '../ai/assistant.ts';
import { suggestTags, type TagUse } from '../ai/extractive/tags.ts';
import { escapedText } from '../ai/grounding/escaped.ts';
import { enforce, REJECTIONS, type TagSuggestion, type VocabularyRules } from '../ai/suggest/vocabulary.ts';
import { LONG_CALL_MS } from '../budgets.ts';
import { isRecord } from '../is-record.ts';
import type { PatchOp } from '../notes/patch/op.ts';
import { tagKey } from '../notes/structure/tags.ts';
import type { VaultSession } from '../vault/session.ts';
import { type OperationContext, operation } from './operation.ts';
import {
  type ApplyMode,
  appliedOutput,
  appliedText,
  applyInput,
  applying,
  suggestForEach,
  suggestionOutput,
  suggestionScope,
  toSuggestionOutput,
  withDiffs,
} from './shared/ai-apply.ts';
import { aiInput, answeredBy, answeredByOutput, assistantOf } from './shared/ai-fields.ts';
import { askForObject } from './shared/ai-object.ts';
import { aiScope, type ScopedNote, scopeText } from './shared/ai-scope.ts';
import { counted, lines, noticed, oneLine } from './shared/rendering.ts';

/** Similar notes whose tags are considered. */
const NEIGHBOURS = 20;
/** Limit of the vault's tags that are loaded; less used ones count as new. */
const MOST_TAGS = 5000;
const TAGS_PAGE = 1000;
/** Limit of tags in the prompt. */
const SHOWN_TAGS = 300;
const ANSWER_TOKENS = 600;

const tags = z.array(z.string().min(1).max(200)).max(1000);
const { language, seed, cache } = aiInput;

export const aiTag = operation({
  name: 'ai_tag',
  title: 'Suggest tags',
  description:
    "Suggest tags for notes from the vault's own vocabulary, with confidence and reasons; apply: true adds them to the properties (undo takes them back). The rules of vocabulary are enforced whatever a model says. Without a model (mode extractive) tags come from the nearest notes and from words of the note.",
  scope: 'vault:read',
  effects: 'writes',
  writing: applying,
  answersFrom: 'index',
  places: [],
  limitMs: LONG_CALL_MS,
  toolset: 'ai',
  input: z.object({
    scope: aiScope,
    vocabulary: z
      .strictObject({
        use_existing: z.boolean().default(true).describe('Tags that the vault has'),
        allow_new: z.boolean().default(false),
        candidates: tags.optional().describe('Only these'),
        forbid: tags.optional().describe('Neither these nor tags below them'),
        namespace: z.string().min(1).max(200).optional().describe('Only below this tag'),
        max_per_note: z.number().int().min(1).max(20).default(5),
        min_confidence: z.number().min(0).max(1).default(0.2),
      })
      .prefault({})
      .describe('Which tags may be suggested'),
    language,
    seed,
    cache,
    ...applyInput,
  }),
  output: z.object({
    ...answeredByOutput,
    tagged: z.array(
      z.object({
        path: z.string(),
        /** Etag of the note as it was read. */
        etag: z.string(),
        /** Tags that the note has. */
        existing: z.array(z.string()),
        tags: z.array(
          z.object({
            tag: z.string(),
            /** 0..1 */
            confidence: z.number(),
            /** No note of the vault has it. */
            is_new: z.boolean(),
            because: z.array(z.string()),
          }),
        ),
        /** The ten suggestions with the highest confidence that the rules excluded. */
        rejected: z.array(z.object({ tag: z.string(), reason: z.enum(REJECTIONS) })),
        ...appliedOutput,
      }),
    ),
    ...suggestionOutput,
  }),
  rest: { method: 'POST', path: '/v1/ai/tag' },
  cli: { noun: 'ai', verb: 'tag' },
  summarise: (out) =>
    `${counted(
      out.tagged.reduce((sum, { tags }) => sum + tags.length, 0),
      'tag',
    )} for ${scopeText(out)} (${out.mode}).${noticed(out.notice)}`,
  render: (out) =>
    withDiffs(
      lines(out.tagged, (row) => {
        const shown = row.tags.map(({ tag, confidence }) => `#${tag} ${confidence}`).join(', ');
        return `${row.path}: ${shown === '' ? 'none' : shown}${appliedText(row, out.dry_run)}`;
      }),
      out.tagged,
    ),
  run: async (vault, input, context) => {
    const assistant = assistantOf(context);
    const scope = await suggestionScope(vault, input, context.signal);
    const rules: VocabularyRules = {
      useExisting: input.vocabulary.use_existing,
      allowNew: input.vocabulary.allow_new,
      candidates: input.vocabulary.candidates ?? [],
      forbid: input.vocabulary.forbid ?? [],
      namespace: input.vocabulary.namespace,
      maxPerNote: input.vocabulary.max_per_note,
      minConfidence: input.vocabulary.min_confidence,
    };
    const uses = await usedTags(vault);
    const known = new Map(uses.map(({ tag }) => [tagKey(tag), tag]));
    const { total } = await vault.list({ kinds: ['note'] }, 'path', { limit: 1 });
    const { rows, cut } = await suggestForEach(
      { vault, tool: 'ai_tag', scope, input, signal: context.signal },
      async (scoped) => {
        const existing = [...scoped.note.parsed.tags];
        const near = await fromNeighbours(vault, scoped, uses, total);
        const { suggestions, isCut } =
          assistant.mode === 'extractive'
            ? { suggestions: near, isCut: false }
            : await fromModel(assistant, scoped, { near, uses, rules, ...input }, context);
        // When all tags are replaced, the note's own tags may be suggested again.
        const own = input.apply_mode === 'replace' ? [] : existing;
        const { allowed, rejected } = enforce(suggestions, rules, known, own);
        return {
          own: {
            existing,
            tags: allowed.map(({ tag, confidence, isNew, because }) => ({
              tag,
              confidence,
              is_new: isNew,
              because: [...because],
            })),
            rejected: rejected.slice(0, 10),
          },
          ops: opsFor(
            allowed.map(({ tag }) => tag),
            scoped,
            input.apply_mode,
          ),
          isCut,
        };
      },
      ({ note }) => ({ existing: [...note.parsed.tags], tags: [], rejected: [] }),
    );
    return {
      ...answeredBy(assistant),
      tagged: rows,
      ...toSuggestionOutput(
        scope,
        input,
        cut,
        uses.length === 0 && !rules.allowNew && rules.candidates.length === 0
          ? 'the vault has no tags: give candidates, or allow_new'
          : undefined,
      ),
    };
  },
});

async function usedTags(vault: VaultSession): Promise<readonly TagUse[]> {
  const uses: TagUse[] = [];
  let cursor: string | undefined;
  do {
    const page = await vault.tags({ limit: TAGS_PAGE, ...(cursor !== undefined && { cursor }) });
    uses.push(...page.items.map(({ tag, notes }) => ({ tag, notes })));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && uses.length < MOST_TAGS);
  return uses;
}

async function fromNeighbours(
  vault: VaultSession,
  { note, span }: ScopedNote,
  uses: readonly TagUse[],
  total: number,
): Promise<TagSuggestion[]> {
  const { items } = await vault.related(note.path, NEIGHBOURS);
  const scores = new Map(items.map(({ path, score }) => [path, score]));
  const among = { kind: 'any', of: items.map(({ path }) => ({ kind: 'path', path }) as const) } as const;
  const listed =
    items.length === 0
      ? []
      : (await vault.list({ kinds: ['note'], where: among }, 'path', { limit: 2 * items.length })).items;
  const neighbours = listed
    .filter(({ path, tags }) => scores.has(path) && tags.length > 0)
    .map(({ path, tags }) => ({ score: scores.get(path) ?? 0, tags }));
  return suggestTags(
    { title: note.title, text: note.parsed.text.slice(span.start, span.end) },
    neighbours,
    uses,
    total,
  );
}

const TASK =
  'You choose tags for one note of a person. A tag names what the note is about, as its owner would look for it. Give each a confidence from 0 to 1 and a reason of a few words.';
const SCHEMA = {
  type: 'object',
  properties: {
    tags: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          tag: { type: 'string' },
          confidence: { type: 'number' },
          reason: { type: 'string' },
        },
        required: ['tag', 'confidence', 'reason'],
        additionalProperties: false,
      },
    },
  },
  required: ['tags'],
  additionalProperties: false,
} as const;

async function fromModel(
  assistant: Assistant,
  scoped: ScopedNote,
  given: {
    readonly near: readonly TagSuggestion[];
    readonly uses: readonly TagUse[];
    readonly rules: VocabularyRules;
    readonly language?: string | undefined;
    readonly seed?: number | undefined;
    readonly cache: 'use' | 'refresh' | 'off';
  },
  context: OperationContext,
): Promise<{ suggestions: TagSuggestion[]; isCut: boolean }> {
  const { rules, near, uses } = given;
  // The likely ones first, then the most used.
  const likely = [
    ...rules.candidates,
    ...(rules.useExisting ? [...near.map(({ tag }) => tag), ...uses.map(({ tag }) => tag)] : []),
  ];
  const vocabulary = [...new Set(likely)].slice(0, SHOWN_TAGS);
  const request = [
    `Tags to choose from: ${vocabulary.join(', ') || 'none'}.`,
    rules.allowNew ? 'Others are welcome where none of these fits.' : 'No others.',
    rules.forbid.length === 0 ? '' : `Never: ${rules.forbid.join(', ')}.`,
    rules.namespace === undefined ? '' : `All are below ${rules.namespace}/.`,
    `At most ${rules.maxPerNote}.`,
  ]
    .filter((part) => part !== '')
    .join('\n');
  const { object, isCut } = await askForObject(
    assistant,
    {
      operation: 'ai_tag',
      promptVersion: '1',
      task: TASK,
      request,
      schema: SCHEMA,
      language: given.language,
      maxTokens: ANSWER_TOKENS,
      seed: given.seed,
      cache: given.cache,
    },
    scoped,
    context.signal,
  );
  return { suggestions: readSuggestions(object), isCut };
}

/** Converts the answer of a model, which may have any shape, to suggestions. */
function readSuggestions(object: unknown): TagSuggestion[] {
  const list = isRecord(object) && Array.isArray(object.tags) ? object.tags : [];
  return list.flatMap((item) => {
    if (!isRecord(item) || typeof item.tag !== 'string') return [];
    const confidence = typeof item.confidence === 'number' ? Math.min(1, Math.max(0, item.confidence)) : 0;
    const reason = typeof item.reason === 'string' ? oneLine(escapedText(item.reason), 120) : '';
    return [{ tag: item.tag.slice(0, 200), confidence, because: reason === '' ? [] : [reason] }];
  });
}

/** `replace` removes tags from the properties only: tags in the text are the owner's words. */
function opsFor(suggested: readonly string[], { note }: ScopedNote, mode: ApplyMode): PatchOp[] {
  if (suggested.length === 0) return [];
  const own = note.parsed.tags;
  if (mode === 'only_empty' && own.length > 0) return [];
  if (mode === 'replace') return [{ op: 'set_frontmatter', key: 'tags', value: [...suggested] }];
  return suggested.map((tag) => ({ op: 'add_tag', tag }));
}
