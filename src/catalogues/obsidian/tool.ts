import * as z from 'zod';
import { isRecord } from '../../is-record.ts';
import type { Operation } from '../../operations/operation.ts';
import { type CatalogueTool, type ToolContext, textAnswer } from '../catalogue.ts';
import { indexNotice } from '../index-notice.ts';
import { invalidParams, vaultNotFound } from './failures.ts';

interface ToolDefinition<Fields extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly fields: Fields;
  /** Other names of fields, as Obsidian's command line and its clients use them. */
  readonly alsoCalled?: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  /** The `data` of the answer. */
  data(
    input: z.output<z.ZodObject<Fields>>,
    context: ToolContext,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** Makes a tool that checks its arguments, ignores unknown ones, and answers in this system's envelope. */
export function tool<Fields extends z.ZodRawShape>(definition: ToolDefinition<Fields>): CatalogueTool {
  const { name, description, fields, alsoCalled = {}, operations, data } = definition;
  const schema = z.object(fields);
  return {
    name,
    listing: { description, inputSchema: schemaOf(schema) },
    operations,
    async call(given, context) {
      const named = withNames(given, alsoCalled);
      await checkVault(named.vault, context);
      const parsed = schema.safeParse(named);
      if (!parsed.success) {
        const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
        throw invalidParams(issues.join('; '), issues);
      }
      const answer = await data(parsed.data, context);
      const notice = await indexNotice(operations, context);
      return textAnswer(
        JSON.stringify({ success: true, data: { ...answer, ...(notice !== undefined && { notice }) } }),
      );
    },
  };
}

function schemaOf(schema: z.ZodObject): { type: 'object' } & Record<string, unknown> {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Arguments under their main names and without nulls, which clients send for absent arguments. */
function withNames(given: unknown, alsoCalled: Readonly<Record<string, string>>): Record<string, unknown> {
  if (!isRecord(given)) throw invalidParams('arguments must be an object');
  const present = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const named: Record<string, unknown> = Object.fromEntries(present);
  for (const [other, name] of Object.entries(alsoCalled))
    if (Object.hasOwn(named, other) && !Object.hasOwn(named, name)) named[name] = named[other];
  return named;
}

/** Checks the vault of a call, which may be named as in Obsidian's commands; another vault is refused. */
async function checkVault(given: unknown, { vault }: ToolContext): Promise<void> {
  if (given === undefined) return;
  const { name } = await (await vault()).status();
  if (given !== name) throw vaultNotFound(String(given).slice(0, 100));
}
