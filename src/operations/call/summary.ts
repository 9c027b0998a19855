import type * as z from 'zod';
import type { Operation } from '../operation.ts';
import { splitNotice } from '../shared/fields.ts';

type Output = z.output<z.ZodObject>;

/** The line above an answer. An incomplete index is named first, so that a count is not taken for the whole. */
export function summaryOf(operation: Operation, output: Output, input: Output): string {
  const { index, rest } = splitNotice(output.notice);
  if (index === undefined) return operation.summarise(output, input);
  const { notice: _whole, ...others } = output;
  const line = operation.summarise(rest === undefined ? others : { ...others, notice: rest }, input);
  return `${index}. ${line}`;
}
