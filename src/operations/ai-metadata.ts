import * as z from 'zod';
import type { Assistant } from '../ai/assistant.ts';
import { findField } from '../ai/extractive/find-field.ts';
import { factsOf } from '../ai/extractive/pairs.ts';
import { sentencesOf } from '../ai/extractive/sentences.ts';
import { summarySentences } from '../ai/extractive/summary.ts';
import { findQuote } from '../ai/grounding/quote.ts';
import { sourceOf } from '../ai/grounding/source.ts';
import { coerce, FIELD_TYPES, type FieldSpec } from '../ai/suggest/field.ts';
import { LONG_CALL_MS } from '../budgets.ts';
import { LecternError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { type OperationContext, operation } from './operation.ts';
import {
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
import { ownValue, propertyOps } from './shared/ai-properties.ts';
import { aiScope, type ScopedNote, scopeText } from './shared/ai-scope.ts';
import { counted, lines, noticed, oneLine } from './shared/rendering.ts';

const MOST_FIELDS = 30;
const ANSWER_TOKENS = 1200;
const DESCRIBING = /^(?:summary|description|abstract|excerpt|tl-?dr)$/i;
const DESCRIPTION = { sentences: 1, characters: 300 };

const { language, seed, cache } = aiInput;

/** A proposed value and the line that states it. */
interface Proposal {
  readonly value: unknown;
  /** 1-based; undefined when no line of the note states the value literally. */
  readonly line: number | undefined;
}

export const aiMetadata = operation({
  name: 'ai_metadata',
  title: 'Fill in properties',
  description:
    'Propose values of the given types for properties of notes, each with the line that says it (supported); apply: true writes them into the properties (undo takes them back). Without a model (mode extractive) values are found by patterns such as "author: Jane", dates, addresses and lists below a heading; what is not said is missing.',
  scope: 'vault:read',
  effects: 'writes',
  writing: applying,
  answersFrom: 'index',
  places: [],
  limitMs: LONG_CALL_MS,
  toolset: 'ai',
  input: z.object({
    scope: aiScope,
    fields: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(100).describe('Of the property'),
          type: z.enum(FIELD_TYPES).default('text'),
          description: z.string().max(500).optional().describe('What it means, for a model'),
          values: z
            .array(z.string().min(1))
            .min(1)
            .max(200)
            .optional()
            .describe('Only these, for text and list'),
        }),
      )
      .min(1)
      .max(MOST_FIELDS),
    language,
    seed,
    cache,
    ...applyInput,
  }),
  output: z.object({
    ...answeredByOutput,
    described: z.array(
      z.object({
        path: z.string(),
        /** Etag of the note as it was read. */
        etag: z.string(),
        fields: z.array(
          z.object({
            name: z.string(),
            value: z.unknown(),
            /** The note's present value; absent when it has none. */
            current: z.unknown().optional(),
            /** Whether a line of the note states the value. */
            supported: z.boolean(),
            line: z.number().int().optional(),
          }),
        ),
        /** Fields for which no value of their type was found. */
        missing: z.array(z.string()),
        ...appliedOutput,
      }),
    ),
    ...suggestionOutput,
  }),
  rest: { method: 'POST', path: '/v1/ai/metadata' },
  cli: { noun: 'ai', verb: 'metadata' },
  summarise: (out) =>
    `${counted(
      out.described.reduce((sum, { fields }) => sum + fields.length, 0),
      'value',
    )} for ${scopeText(out)} (${out.mode}).${noticed(out.notice)}`,
  render: (out) =>
    withDiffs(
      lines(out.described, (row) => {
        const values = row.fields.map(
          ({ name, value, line, supported }) =>
            `${name}: ${oneLine(JSON.stringify(value), 120)}${line === undefined ? '' : ` (line ${line})`}${supported ? '' : ' [unsupported]'}`,
        );
        const missing = row.missing.length === 0 ? '' : `; missing: ${row.missing.join(', ')}`;
        return `${row.path}: ${values.join('; ')}${missing}${appliedText(row, out.dry_run)}`;
      }),
      out.described,
    ),
  run: async (vault, input, context) => {
    const assistant = assistantOf(context);
    assertDistinct(input.fields);
    const scope = await suggestionScope(vault, input, context.signal);
    const names = input.fields.map(({ name }) => name);
    const { rows, cut } = await suggestForEach(
      { vault, tool: 'ai_metadata', scope, input, signal: context.signal },
      async (scoped) => {
        const { proposals, isCut } =
          assistant.mode === 'extractive'
            ? { proposals: await found(scoped, input.fields), isCut: false }
            : await written(assistant, scoped, input, context);
        const fields = names.flatMap((name) => {
          const proposal = proposals.get(name);
          if (proposal === undefined) return [];
          const current = ownValue(scoped.note, name);
          return [
            {
              name,
              value: proposal.value,
              ...(current !== undefined && { current }),
              supported: proposal.line !== undefined,
              ...(proposal.line !== undefined && { line: proposal.line }),
            },
          ];
        });
        const values = new Map(fields.map(({ name, value }) => [name, value]));
        return {
          own: { fields, missing: names.filter((name) => !proposals.has(name)) },
          ops: propertyOps(scoped.note, values, input.apply_mode),
          isCut,
        };
      },
      () => ({ fields: [], missing: names }),
    );
    return {
      ...answeredBy(assistant),
      described: rows,
      ...toSuggestionOutput(scope, input, cut),
    };
  },
});

function assertDistinct(fields: readonly FieldSpec[]): void {
  const names = fields.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new LecternError('invalid_input', `fields names ${twice} twice.`, {
    next: 'Name each property once; upper and lower case are the same.',
  });
}

async function found(
  { note, span }: ScopedNote,
  fields: readonly FieldSpec[],
): Promise<Map<string, Proposal>> {
  const source = sourceOf(note);
  const facts = await factsOf(source, span);
  const proposals = new Map<string, Proposal>();
  for (const field of fields) {
    const value = findField(field, facts, note.title);
    if (value !== undefined) proposals.set(field.name, value);
    else if (field.type === 'text' && field.values === undefined && DESCRIBING.test(field.name)) {
      const [sentence] = await summarySentences(await sentencesOf(source, span), DESCRIPTION);
      const text = sentence && coerce(source.text.slice(sentence.start, sentence.end), field);
      if (sentence !== undefined && text !== undefined)
        proposals.set(field.name, { value: text, line: source.lines.lineAt(sentence.start) });
    }
  }
  return proposals;
}

const TASK =
  'You fill in properties of one note of a person. Each value is of the type that is asked for: text is one line, a date is YYYY-MM-DD, a datetime is YYYY-MM-DDTHH:MM:SS, a list is of short texts, a checkbox is true or false. With each value goes a quote: the words of the note that say it, exactly as they stand there.';

async function written(
  assistant: Assistant,
  scoped: ScopedNote,
  input: {
    readonly fields: readonly FieldSpec[];
    readonly language?: string | undefined;
    readonly seed?: number | undefined;
    readonly cache: 'use' | 'refresh' | 'off';
  },
  context: OperationContext,
): Promise<{ proposals: Map<string, Proposal>; isCut: boolean }> {
  const request = input.fields.map(({ name, type, description, values }) =>
    [
      `- ${JSON.stringify(name)} (${type})`,
      ...(description === undefined ? [] : [description]),
      ...(values === undefined ? [] : [`one of ${JSON.stringify(values)}`]),
    ].join(': '),
  );
  const { object, isCut } = await askForObject(
    assistant,
    {
      operation: 'ai_metadata',
      promptVersion: '1',
      task: TASK,
      request: `The properties:\n${request.join('\n')}`,
      schema: SCHEMA,
      language: input.language,
      maxTokens: ANSWER_TOKENS,
      seed: input.seed,
      cache: input.cache,
    },
    scoped,
    context.signal,
  );
  const source = sourceOf(scoped.note);
  const proposals = new Map<string, Proposal>();
  const given = isRecord(object) && Array.isArray(object.fields) ? object.fields : [];
  for (const item of given) {
    if (!isRecord(item) || typeof item.name !== 'string') continue;
    const name = item.name.toLowerCase();
    const field = input.fields.find((each) => each.name.toLowerCase() === name);
    if (field === undefined || proposals.has(field.name)) continue;
    const value = coerce(readValue(item.value_json), field);
    if (value === undefined) continue;
    const place =
      typeof item.quote === 'string' ? findQuote(item.quote, { source, ...scoped.span }) : undefined;
    proposals.set(field.name, { value, line: place && source.lines.lineAt(place.start) });
  }
  return { proposals, isCut };
}

/** One shape for all types: the schemas of some providers have no unions. */
const SCHEMA = {
  type: 'object',
  properties: {
    fields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          value_json: {
            type: 'string',
            description: 'The value as JSON text: "Jane", 4, true, ["a","b"]',
          },
          quote: { type: 'string' },
        },
        required: ['name', 'value_json', 'quote'],
        additionalProperties: false,
      },
    },
  },
  required: ['fields'],
  additionalProperties: false,
} as const;

/** Parses JSON text; text that is not JSON, because a model omitted the quotes, is the value itself. */
function readValue(json: unknown): unknown {
  if (typeof json !== 'string') return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
