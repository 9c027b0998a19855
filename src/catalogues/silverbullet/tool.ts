import * as z from 'zod';
import { isRecord } from '../../is-record.ts';
import type { Operation } from '../../operations/operation.ts';
import { type Block, type CatalogueTool, type ToolContext, textAnswer } from '../catalogue.ts';
import { invalidArguments } from './failures.ts';

interface ToolDefinition<Fields extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly fields: Fields;
  readonly operations: readonly Operation[];
  /** The facts of the answer, and a text below them. */
  answer(input: z.output<z.ZodObject<Fields>>, context: ToolContext): Promise<PageAnswer>;
}

export interface PageAnswer {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly body?: string;
}

/** Makes a tool that checks its arguments as this system does: unknown ones are ignored. */
export function tool<Fields extends z.ZodRawShape>(definition: ToolDefinition<Fields>): CatalogueTool {
  const { name, title, description, fields, operations, answer } = definition;
  const schema = z.object(fields);
  return {
    name,
    listing: { title, description, inputSchema: schemaOf(schema), execution: { taskSupport: 'forbidden' } },
    operations,
    async call(given, context) {
      const parsed = schema.safeParse(withoutNulls(given));
      if (!parsed.success) return invalidArguments(name, parsed.error.message);
      const { facts, body } = await answer(parsed.data, context);
      const { content } = textAnswer(JSON.stringify(facts, null, 2));
      const blocks: readonly Block[] =
        body === undefined ? content : [...content, { type: 'text', text: body }];
      return { content: blocks };
    },
  };
}

function schemaOf(schema: z.ZodObject): { type: 'object' } & Record<string, unknown> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Without nulls, which clients send for absent arguments. */
function withoutNulls(given: unknown): unknown {
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
