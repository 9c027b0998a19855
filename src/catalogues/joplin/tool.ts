import { isRecord } from '../../is-record.ts';
import type { Operation } from '../../operations/operation.ts';
import { type CatalogueTool, type ToolContext, textAnswer } from '../catalogue.ts';
import { indexNotice } from '../index-notice.ts';
import { ToolError } from './failures.ts';

type Given = Readonly<Record<string, unknown>>;

interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** Tools that change notes are off until the owner enables them. */
  readonly writes?: true;
  readonly operations: readonly Operation[];
  /**
   * The answer, sent as JSON.
   *
   * @throws ToolError with the message for the model
   */
  payload(given: Given, context: ToolContext): Promise<object>;
}

/** Makes a tool of Joplin: arguments are checked one by one, unknown ones are ignored. */
export function tool(definition: ToolDefinition): CatalogueTool {
  const { name, description, properties, required, writes, operations, payload } = definition;
  return {
    name,
    listing: {
      description,
      inputSchema: { type: 'object', properties, ...(required && { required }) },
    },
    ...(writes && { defaultOn: false }),
    operations,
    async call(given, context) {
      try {
        const answer = await payload(isRecord(given) ? given : {}, context);
        const notice = await indexNotice(operations, context);
        return textAnswer(JSON.stringify({ ...answer, ...(notice !== undefined && { notice }) }, null, 2));
      } catch (error) {
        if (error instanceof ToolError) return textAnswer(error.message, true);
        throw error;
      }
    },
  };
}

/** @returns undefined unless the value is a text that is not blank */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** @throws ToolError when the argument is missing or blank */
export function requiredText(given: Given, name: string, message = `Missing "${name}" parameter`): string {
  const value = filledText(given[name]);
  if (value === undefined) throw new ToolError(message);
  return value;
}

/** Undefined when the argument is absent or not a text. */
export function optionalText(given: Given, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

/** A whole number of at least 0; `fallback` for anything else. */
export function count(given: Given, name: string, fallback: number): number {
  const value = given[name];
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Math.max(0, Math.floor(number)) : fallback;
}
