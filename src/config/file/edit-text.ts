import { stringify } from 'yaml';

/** How values are written into a configuration file, each in one line. */

type Scalar = string | number | boolean;

/** The YAML text of a scalar. @param inFlow inside brackets or braces, where commas need quotes */
export function scalarText(value: Scalar, inFlow: boolean): string {
  if (!inFlow) return stringify(value, { lineWidth: 0 }).trimEnd();
  return stringify([value], { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false })
    .trimEnd()
    .slice(1, -1);
}

/** The YAML text of a value in flow style: `[a, b]`, `{ a: 1 }`. */
export function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalarText(value as Scalar, true);
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${scalarText(key, true)}: ${flowText(inner)}`)
    .join(', ')} }`;
}

/** Replaces `source.slice(start, end)`; offsets in UTF-16 code units. */
export interface TextSplice {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

/** A text with parts replaced, each given by its position in the original text. */
export function spliced(source: string, splices: readonly TextSplice[]): string {
  return [...splices]
    .sort((a, b) => b.start - a.start)
    .reduce((all, { start, end, insert }) => all.slice(0, start) + insert + all.slice(end), source);
}
