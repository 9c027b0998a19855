import { isRecord } from '../../is-record.ts';
import type { Operation } from '../../operations/operation.ts';
import type { CatalogueTool, ToolContext } from '../catalogue.ts';
import { indexNotice } from '../index-notice.ts';
import { invalidParams } from './failures.ts';

/** An argument. All are texts; an optional one may be sent as null. */
interface Field {
  readonly description: string;
  readonly required?: true;
}

type Fields = Readonly<Record<string, Field>>;

/** Null is kept: for some tools it differs from an absent argument. */
type Given<Named extends Fields> = {
  readonly [Name in keyof Named]: Named[Name] extends { required: true } ? string : string | null | undefined;
};

interface ToolDefinition<Named extends Fields> {
  readonly name: string;
  readonly description: string;
  readonly fields: Named;
  readonly operations: readonly Operation[];
  /** The answer, sent as JSON. */
  answer(given: Given<Named>, context: ToolContext): Promise<unknown>;
}

/** Makes a tool that checks its arguments, ignores unknown ones, and answers with JSON as one text. */
export function tool<Named extends Fields>(definition: ToolDefinition<Named>): CatalogueTool {
  const { name, description, fields, operations, answer } = definition;
  return {
    name,
    listing: { description, inputSchema: schemaOf(fields) },
    operations,
    async call(given, context) {
      const data = await answer(checked(fields, given), context);
      const notice = await indexNotice(operations, context);
      const texts = [JSON.stringify(data), ...(notice === undefined ? [] : [notice])];
      return { content: texts.map((text) => ({ type: 'text', text })), isError: false };
    },
  };
}

function schemaOf(fields: Fields): { type: 'object' } & Record<string, unknown> {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { description }]) => [name, { type: 'string', description }]),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** @throws JsonRpcError with the message of a deserializer, as the system sends it */
function checked<Named extends Fields>(fields: Named, given: unknown): Given<Named> {
  const all = given ?? {};
  if (!isRecord(all)) throw wrong(`invalid type: ${shown(all)}, expected a map`);
  const found: Record<string, string | null | undefined> = {};
  for (const [name, { required }] of Object.entries(fields)) {
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    if (value === undefined && required) throw wrong(`missing field \`${name}\``);
    if (value === undefined || (value === null && !required)) found[name] = value;
    else if (typeof value === 'string') found[name] = value;
    else throw wrong(`${name}: invalid type: ${shown(value)}, expected a string`);
  }
  return found as Given<Named>;
}

function wrong(problem: string) {
  return invalidParams(`failed to deserialize parameters: ${problem}`);
}

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'number')
    return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``;
  return `${typeof value} \`${String(value).slice(0, 50)}\``;
}
