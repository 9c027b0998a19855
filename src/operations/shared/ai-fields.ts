import * as z from 'zod';
import type { Assistant } from '../../ai/assistant.ts';
import { escapedText } from '../../ai/grounding/escaped.ts';
import type { Grounded } from '../../ai/grounding/grounded.ts';
import { noAssistant } from '../call/assistants.ts';
import type { OperationContext } from '../operation.ts';
import { scopeOutput } from './ai-scope.ts';
import { counted, lines, oneLine, paragraphs } from './rendering.ts';

/** Inputs and outputs that several AI tools share. */

export const aiInput = {
  language: z.string().min(2).max(40).optional().describe('Of the answer, e.g. de; needs a model'),
  max_tokens: z.number().int().min(50).max(8000).optional().describe('Of the answer, at most'),
  cite: z
    .enum(['preferred', 'required'])
    .default('preferred')
    .describe('required: sentences that no quote supports are left out; preferred: marked'),
  seed: z.number().int().min(0).optional().describe('For models that take one'),
  cache: z
    .enum(['use', 'refresh', 'off'])
    .default('use')
    .describe('Whether an earlier answer of the model may be given again'),
};

export const citationRow = z.object({
  /** The number `n` of `[n]` in the text. */
  n: z.number().int(),
  path: z.string(),
  heading: z.string().optional(),
  /** 1-based: the quote begins in the first line and ends in the last. */
  line_start: z.number().int(),
  line_end: z.number().int(),
  /** Etag of the note in the version that contains the quote. */
  etag: z.string(),
  /** The note's own text. */
  quote: z.string(),
});
export type CitationRow = z.output<typeof citationRow>;

export const answeredByOutput = {
  mode: z.enum(['extractive', 'generative']),
  /** The model that answered; absent when there is none. */
  model: z.string().optional(),
};

/** The fields that say how an answer was made. */
export function answeredBy({ mode, model }: Assistant) {
  return { mode, ...(model !== undefined && { model }) };
}

/** The common fields of a grounded answer. */
export const groundedOutput = {
  ...answeredByOutput,
  sentences: z.array(
    z.object({
      text: z.string(),
      /** Numbers of the citations that support it. */
      citations: z.array(z.number().int()),
      supported: z.boolean(),
    }),
  ),
  citations: z.array(citationRow),
  /** Number of the model's citations that are not in the notes. */
  dropped_citations: z.number().int(),
  /** Number of unsupported sentences that were left out. */
  withheld: z.number().int(),
  ...scopeOutput,
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  /** In the currency of the configured prices. */
  cost: z.number().optional(),
  /** True when an earlier answer was reused and nothing was sent. */
  cached: z.boolean(),
  notice: z.string().optional(),
};

/** The assistant of a call. @throws LecternError `ai_unavailable` when none is configured */
export function assistantOf({ assistant }: OperationContext): Assistant {
  if (assistant === undefined) throw noAssistant();
  return assistant;
}

/**
 * Converts a grounded answer to output. A model's sentences are escaped as plain text; sentences of notes are
 * not.
 */
export function toGrounded(assistant: Assistant, grounded: Grounded, isCached: boolean) {
  const shown = assistant.mode === 'generative' ? escapedText : (text: string) => text;
  const { usage, cost } = assistant.spent();
  return {
    ...answeredBy(assistant),
    sentences: grounded.sentences.map(({ text, citations, supported }) => ({
      text: shown(text),
      citations: [...citations],
      supported,
    })),
    citations: grounded.citations.map(toCitationRow),
    dropped_citations: grounded.dropped,
    withheld: grounded.withheld,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    ...(cost !== undefined && { cost }),
    cached: isCached,
  };
}

/** A citation as output. @param at its index, from 0 */
export function toCitationRow(citation: Grounded['citations'][number], at: number): CitationRow {
  const { path, heading, lineStart, lineEnd, etag, quote } = citation;
  return {
    n: at + 1,
    path,
    ...(heading !== undefined && { heading }),
    line_start: lineStart,
    line_end: lineEnd,
    etag,
    quote,
  };
}

/** The sentences with the numbers of their citations; unsupported ones are marked. */
export function citedText(
  sentences: readonly { text: string; citations: readonly number[]; supported: boolean }[],
  style: 'paragraph' | 'bullets',
): string {
  const written = sentences.map(({ text, citations, supported }) => {
    const marks = citations.map((n) => `[${n}]`).join('');
    return `${text}${supported ? ` ${marks}` : ' [unsupported]'}`;
  });
  return style === 'bullets' ? written.map((each) => `- ${each}`).join('\n') : written.join(' ');
}

/** Notices about dropped citations, unsupported sentences and changed notes. */
export function groundedNotices(grounded: Grounded): (string | undefined)[] {
  const unsupported = grounded.sentences.filter(({ supported }) => !supported).length;
  const { withheld, changed, dropped } = grounded;
  return [
    changed.length === 0
      ? undefined
      : `${counted(changed.length, 'cited note')} changed while this was written: ${changed.slice(0, 3).join(', ')}`,
    dropped === 0 ? undefined : `${counted(dropped, 'citation')} did not stand in the notes`,
    unsupported === 0 ? undefined : `${counted(unsupported, 'sentence')} without support`,
    withheld === 0 ? undefined : `${counted(withheld, 'sentence')} without support left out`,
  ];
}

/** The citations below a text: `[1] Path.md:3-5 > Heading "quote"`. */
export function citationLines(citations: readonly CitationRow[]): string {
  return lines(citations, ({ n, path, heading, line_start, line_end, quote }) => {
    const place = `${path}:${line_start}${line_end === line_start ? '' : `-${line_end}`}`;
    return `[${n}] ${place}${heading === undefined ? '' : ` > ${oneLine(heading, 60)}`} "${oneLine(quote, 160)}"`;
  });
}

/** A text with its citations below it. */
export function groundedText(text: string, citations: readonly CitationRow[]): string {
  return paragraphs(text, citationLines(citations));
}
