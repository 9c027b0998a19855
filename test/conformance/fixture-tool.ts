import * as z from 'zod';
import type { Block, CatalogueTool } from '../../src/catalogues/catalogue.ts';
import { type Dialogue, InputNeeded } from '../../src/operations/call/dialogue.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { inputSchema } from '../../src/operations/call/json-schema.ts';
import type { OperationContext } from '../../src/operations/operation.ts';

/** What a tool of the fixture answers. */
export interface FixtureAnswer {
  readonly text?: string;
  readonly content?: readonly Block[];
}

export interface FixtureContext extends OperationContext {
  readonly dialogue: Dialogue;
}

export interface FixtureTool {
  readonly name: string;
  readonly description: string;
  /** Default: no arguments. */
  readonly input?: z.ZodObject;
  /** Listed in place of the schema that follows from `input`. */
  readonly listed?: Record<string, unknown>;
  run(
    context: FixtureContext,
    input: Readonly<Record<string, unknown>>,
  ): Promise<FixtureAnswer> | FixtureAnswer;
}

/** A tool that runs no operation: what it answers is its own. */
export function catalogueTool({
  name,
  description,
  input = z.object({}),
  listed,
  run,
}: FixtureTool): CatalogueTool {
  return {
    name,
    listing: {
      title: name,
      description,
      inputSchema: { ...inputSchema(input), ...listed },
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    operations: [],
    async call(given, context) {
      const { dialogue } = context;
      const parsed = parseInput({ name, input, effects: 'writes' }, given);
      if (dialogue === undefined) throw new InputNeeded({});
      const { text = '', content = [] } = await run({ ...context, dialogue }, parsed);
      return { content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...content] };
    },
  };
}
