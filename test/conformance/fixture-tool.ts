import * as z from 'zod';
import type { Block, CatalogueTool } from '../../src/catalogues/catalogue.ts';
import { fromOperation } from '../../src/catalogues/from-operation.ts';
import { type Dialogue, InputNeeded } from '../../src/operations/call/dialogue.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { inputSchema } from '../../src/operations/call/json-schema.ts';
import { type Operation, type OperationContext, operation } from '../../src/operations/operation.ts';

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

const OUTPUT = z.object({ text: z.string(), content: z.array(z.custom<Block>()) });

/** A tool as every catalogue has them: an operation, and how its output looks to the client. */
export function catalogueTool({
  name,
  description,
  input = z.object({}),
  listed,
  run,
}: FixtureTool): CatalogueTool {
  const definition = operation({
    name,
    title: name,
    description,
    scope: 'vault:read',
    // An answer to a read may be given again to the same call; these have to run each time.
    effects: 'writes',
    answersFrom: 'store',
    places: [],
    toolset: 'core',
    input,
    output: OUTPUT,
    rest: { method: 'POST', path: `/v1/conformance/${name}` },
    cli: { noun: 'conformance', verb: name },
    summarise: ({ text }) => text,
    render: () => '',
    async run(_vault, given, context) {
      const { dialogue } = context;
      if (dialogue === undefined) throw new InputNeeded({});
      const { text = '', content = [] } = await run({ ...context, dialogue }, given);
      return { text, content: [...content] };
    },
  });
  return {
    ...fromOperation(definition as unknown as Operation),
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
    async call(given, context) {
      const { text, content } = await context.runChecked(definition, parseInput(definition, given));
      return { content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...content] };
    },
  };
}
