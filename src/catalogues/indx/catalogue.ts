import { inputSchema } from '../../operations/call/json-schema.ts';
import { summaryOf } from '../../operations/call/summary.ts';
import type { Operation } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import type { Catalogue, CatalogueTool } from '../catalogue.ts';
import { indxFailure } from './errors.ts';

/** The native catalogue: every operation under its own name. */
export const indxCatalogue: Catalogue = {
  name: 'indx',
  tools: OPERATIONS.map(toTool),
  failure: indxFailure,
};

function toTool(operation: Operation): CatalogueTool {
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: inputSchema(operation.input),
    annotations: {
      readOnlyHint: operation.effects === 'reads',
      destructiveHint: operation.effects === 'destroys',
      idempotentHint: operation.idempotent ?? operation.effects === 'reads',
      openWorldHint: false,
    },
    scope: operation.scope,
    operation,
    answer: (output, input) => {
      const rendered = operation.render(output, input);
      const summary = summaryOf(operation, output, input);
      return {
        kind: 'answer',
        isError: false,
        text: rendered === '' ? summary : `${summary}\n${rendered}`,
        structured: output,
      };
    },
  };
}
