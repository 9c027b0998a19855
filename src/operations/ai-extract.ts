import * as z from 'zod';
import type { Assistant } from '../ai/assistant.ts';
import { extract } from '../ai/extractive/extract.ts';
import { factsOf } from '../ai/extractive/pairs.ts';
import { sourceOf } from '../ai/grounding/source.ts';
import type { SchemaCheck } from '../ai/suggest/json-schema.ts';
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
import { propertyOps } from './shared/ai-properties.ts';
import { aiScope, type ScopedNote, scopeText } from './shared/ai-scope.ts';
import { counted, lines, noticed, oneLine } from './shared/rendering.ts';

const ANSWER_TOKENS = 2000;
const { language, max_tokens, seed, cache } = aiInput;

const dataOutput = {
  /** Valid against the schema; absent when `problem` is set. */
  data: z.record(z.string(), z.unknown()).optional(),
  /** True when the model's first answer was not valid and its second was. */
  repaired: z.boolean(),
};
const dataRow = z.object(dataOutput);
type Data = z.output<typeof dataRow>;

export const aiExtract = operation({
  name: 'ai_extract',
  title: 'Extract structured data',
  description:
    'Extract an object of your JSON Schema (2020-12) from each note. What is answered fits the schema; a model has one more try. destination: frontmatter with apply: true writes it into the properties (undo takes it back). Without a model (mode extractive) lines such as "price: 4", lists below a heading and tables with columns of these names are read; nothing is guessed.',
  scope: 'vault:read',
  effects: 'writes',
  writing: { ...applying, inputs: [...applying.inputs, 'destination', 'destination_key'] },
  answersFrom: 'index',
  places: [],
  limitMs: LONG_CALL_MS,
  toolset: 'ai',
  input: z.object({
    scope: aiScope,
    schema: z.record(z.string(), z.unknown()).describe('JSON Schema of an object'),
    schema_id: z.string().min(1).max(200).optional().describe('A name for it, given back in the answer'),
    destination: z.enum(['json', 'frontmatter']).default('json').describe('json: the answer alone'),
    destination_key: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The property that gets the whole object; else each of its properties is one'),
    language,
    max_tokens,
    seed,
    cache,
    ...applyInput,
  }),
  output: z.object({
    ...answeredByOutput,
    schema_id: z.string().optional(),
    extracted: z.array(
      z.object({
        path: z.string(),
        /** Etag of the note as it was read. */
        etag: z.string(),
        ...dataOutput,
        ...appliedOutput,
      }),
    ),
    ...suggestionOutput,
  }),
  rest: { method: 'POST', path: '/v1/ai/extract' },
  cli: { noun: 'ai', verb: 'extract' },
  summarise: (out) =>
    `Extracted ${counted(out.extracted.filter(({ data }) => data !== undefined).length, 'object')} from ${scopeText(out)} (${out.mode}).${noticed(out.notice)}`,
  render: (out) =>
    withDiffs(
      lines(
        out.extracted,
        (row) =>
          `${row.path}: ${row.data === undefined ? 'nothing' : oneLine(JSON.stringify(row.data), 500)}${appliedText(row, out.dry_run)}`,
      ),
      out.extracted,
    ),
  run: async (vault, input, context) => {
    const assistant = assistantOf(context);
    assertDestination(input);
    // The validator is large and only this operation needs it.
    const { compileSchema } = await import('../ai/suggest/json-schema.ts');
    const check = compileSchema(input.schema);
    assertObject(input.schema);
    const scope = await suggestionScope(vault, input, context.signal);
    const key = input.destination_key;
    const { rows, cut } = await suggestForEach<Data>(
      { vault, tool: 'ai_extract', scope, input, signal: context.signal },
      async (scoped) => {
        const { data, repaired, isCut } =
          assistant.mode === 'extractive'
            ? await found(scoped, input.schema, check)
            : await written(assistant, scoped, check, input, context);
        const values = new Map<string, unknown>(key === undefined ? Object.entries(data) : [[key, data]]);
        return {
          own: { data, repaired },
          ops: propertyOps(scoped.note, values, input.apply_mode),
          isCut,
        };
      },
      () => ({ repaired: false }),
    );
    return {
      ...answeredBy(assistant),
      ...(input.schema_id !== undefined && { schema_id: input.schema_id }),
      extracted: rows,
      ...toSuggestionOutput(scope, input, cut),
    };
  },
});

interface ExtractedData {
  readonly data: Record<string, unknown>;
  readonly repaired: boolean;
  readonly isCut: boolean;
}

function assertObject({ type, properties }: Readonly<Record<string, unknown>>): void {
  if (type === 'object' || (type === undefined && isRecord(properties))) return;
  throw new LecternError('invalid_input', 'The schema is not of an object.', {
    next: 'Wrap it: {"type": "object", "properties": {"items": …}}.',
  });
}

function assertDestination(input: {
  readonly apply: boolean;
  readonly destination: 'json' | 'frontmatter';
  readonly destination_key?: string | undefined;
}): void {
  if (input.destination === 'frontmatter') return;
  const [wrong] = [
    ...(input.apply ? ['apply: true'] : []),
    ...(input.destination_key === undefined ? [] : ['destination_key']),
  ];
  if (wrong === undefined) return;
  throw new LecternError('invalid_input', `${wrong} needs destination: frontmatter.`, {
    next: 'Set destination to frontmatter, or leave it out for an answer that changes nothing.',
  });
}

async function found(
  { note, span }: ScopedNote,
  schema: Readonly<Record<string, unknown>>,
  check: SchemaCheck,
): Promise<ExtractedData> {
  const { data } = extract(schema, await factsOf(sourceOf(note), span), note.title);
  const problems = check.problemsOf(data);
  if (problems.length > 0)
    throw new LecternError(
      'ai_unavailable',
      `The note does not say it in a form that is read without a model: ${problems.join('; ')}.`,
      {
        next: 'Ask for what stands there as "name: value", as a list below a heading, or in a table; or have the owner set a model.',
      },
    );
  return { data, repaired: false, isCut: false };
}

const TASK =
  'You extract data from one note of a person, as an object of the schema that you are given. Values are what the note says.';

async function written(
  assistant: Assistant,
  scoped: ScopedNote,
  check: SchemaCheck,
  input: {
    readonly schema: Readonly<Record<string, unknown>>;
    readonly language?: string | undefined;
    readonly max_tokens?: number | undefined;
    readonly seed?: number | undefined;
    readonly cache: 'use' | 'refresh' | 'off';
  },
  context: OperationContext,
): Promise<ExtractedData> {
  const first = await askForObject(
    assistant,
    {
      operation: 'ai_extract',
      promptVersion: '1',
      task: TASK,
      request: `The schema:\n${JSON.stringify(input.schema)}`,
      schema: input.schema,
      language: input.language,
      maxTokens: input.max_tokens ?? ANSWER_TOKENS,
      seed: input.seed,
      cache: input.cache,
    },
    scoped,
    context.signal,
  );
  const { isCut } = first;
  const problems = problemsOf(check, first.object);
  if (problems.length === 0) return { data: first.object as ExtractedData['data'], repaired: false, isCut };
  const second = await first.again(problems);
  const left = problemsOf(check, second.object);
  if (left.length === 0) return { data: second.object as ExtractedData['data'], repaired: true, isCut };
  throw new LecternError(
    'ai_unavailable',
    `The model's answer does not fit the schema, nor does its second one: ${left.join('; ')}.`,
    {
      details: { problems: [...left] },
      next: 'Make the schema simpler, or require less; or use another model.',
    },
  );
}

function problemsOf(check: SchemaCheck, object: unknown): readonly string[] {
  return isRecord(object) ? check.problemsOf(object) : ['that is no JSON object'];
}
