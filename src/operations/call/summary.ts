import type * as z from 'zod';
import type { Operation } from '../operation.ts';
import { splitNotice } from '../shared/fields.ts';

type Output = z.output<z.ZodObject>;

/**
 * The line above an answer. A notice about an incomplete index comes first, so that a count is not taken as
 * complete.
 */
export function summaryOf(operation: Operation, output: Output, input: Output): string {
  const { index, rest } = splitNotice(output.notice);
  if (index === undefined) return operation.summarise(output, input);
  const { notice: _whole, ...others } = output;
  const line = operation.summarise(rest === undefined ? others : { ...others, notice: rest }, input);
  return `${index}. ${line}`;
}
