import * as z from 'zod';
import { LecternError } from '../../errors.ts';
import { closest } from '../../nearest.ts';
import { inputSchema } from '../../operations/call/json-schema.ts';
import type { Operation } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';

/**
 * The schemas of one operation, or of all, as indented JSON.
 *
 * @throws LecternError `invalid_input` for an unknown operation
 */
export function schemaText(name: string | undefined): string {
  if (name === undefined) return `${JSON.stringify({ operations: OPERATIONS.map(contract) }, null, 2)}\n`;
  const operation = OPERATIONS.find((each) => each.name === name);
  if (operation !== undefined) return `${JSON.stringify(contract(operation), null, 2)}\n`;
  const names = OPERATIONS.map((each) => each.name);
  const meant = closest(name, names);
  throw new LecternError('invalid_input', `No operation is named ${JSON.stringify(name)}.`, {
    next: meant === undefined ? `Operations: ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

function contract(operation: Operation): Record<string, unknown> {
  const { name, title, description, scope, effects, toolset, rest, cli } = operation;
  const { $schema: _dialect, ...output } = z.toJSONSchema(operation.output, { io: 'output' });
  const input = inputSchema(operation.input);
  return { name, title, description, scope, effects, toolset, rest, cli, input, output };
}
