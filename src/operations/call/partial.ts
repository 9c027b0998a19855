import type { PartialAnswer } from '../operation.ts';

/**
 * A part of an answer, keyed by its kind: `partial`, `citation` or `usage`. All doors send it in this form.
 */
export function partialPayload(part: PartialAnswer): Record<string, unknown> {
  switch (part.kind) {
    case 'partial':
      return { partial: part.text };
    case 'citation':
      return { citation: part.citation };
    case 'usage': {
      const { usage, cost } = part.usage;
      return {
        usage: {
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          is_estimated: usage.isEstimated,
          ...(cost !== undefined && { cost }),
        },
      };
    }
  }
}
