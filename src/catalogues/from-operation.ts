import { parseInput } from '../operations/call/input.ts';
import { toolSchema } from '../operations/call/json-schema.ts';
import { summaryOf } from '../operations/call/summary.ts';
import { isDestructive, type Operation, readingForm } from '../operations/operation.ts';
import type { CatalogueTool } from './catalogue.ts';

/**
 * An operation as a tool of the same name, with its schema and annotations; the text is its summary and
 * rendering.
 */
export function fromOperation(operation: Operation): CatalogueTool {
  return {
    name: operation.name,
    listing: {
      title: operation.title,
      description: operation.description,
      inputSchema: { ...toolSchema(operation.input) },
      annotations: {
        readOnlyHint: operation.effects === 'reads',
        destructiveHint: isDestructive(operation),
        idempotentHint: operation.idempotent ?? operation.effects === 'reads',
        // Tools work only on the vault.
        openWorldHint: false,
      },
    },
    operations: [operation],
    ...(operation.writing && { reading: fromOperation(readingForm(operation)) }),
    toolset: operation.toolset,
    overview: operation.overview === true,
    async call(given, context) {
      const input = parseInput(operation, given);
      const output = await context.runChecked(operation, input);
      const rendered = operation.render(output, input);
      const summary = summaryOf(operation, output, input);
      const text = rendered === '' ? summary : `${summary}\n${rendered}`;
      return { content: [{ type: 'text', text }], structuredContent: output };
    },
  };
}
