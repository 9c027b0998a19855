import type { FrontmatterProblem, Property, Span } from '../model.ts';

/** The position of a note's `---` block. */
export interface FencedBlock {
  /** Both fences and the closing line's EOL. Starts after a BOM. */
  readonly span: Span;
  /** Between the fences; empty for an empty block. */
  readonly contentSpan: Span;
}

/** A string value in a property, with its position. */
export interface PropertyScalar {
  /** `title`, `related.0`, `author.name`. */
  readonly keyPath: string;
  readonly value: string;
  /** The raw value in the note's text, including quotes or block indicator. */
  readonly span: Span;
  readonly style: 'plain' | 'single' | 'double' | 'block';
}

/** The result of parsing a block's inside. Offsets are in the note's text. */
export interface BlockReading {
  readonly properties: readonly Property[];
  readonly scalars: readonly PropertyScalar[];
  readonly problems: readonly FrontmatterProblem[];
}

/**
 * Finds the front matter fences. The first line must be `---` with nothing before it but a BOM; the
 * block ends at the next line that is `---`. Spaces after either fence are allowed, and the closing one
 * may end the file. Without a closing fence there is no block: everything is body.
 */
export function findFencedBlock(text: string): FencedBlock | undefined {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const contentStart = afterFence(text, start);
  if (contentStart === undefined || contentStart === text.length) return undefined;
  for (let line = contentStart; line < text.length; ) {
    const end = afterFence(text, line);
    if (end !== undefined) {
      return { span: { start, end }, contentSpan: { start: contentStart, end: line } };
    }
    const newline = text.indexOf('\n', line);
    if (newline < 0) break;
    line = newline + 1;
  }
  return undefined;
}

/** The offset after a fence line and its EOL, or undefined when the line at `start` is no fence. */
function afterFence(text: string, start: number): number | undefined {
  if (!text.startsWith('---', start)) return undefined;
  let at = start + 3;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  if (at === text.length) return at;
  if (text[at] === '\n') return at + 1;
  if (text[at] === '\r' && text[at + 1] === '\n') return at + 2;
  return undefined;
}

/** 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Sets an own property even for the key `__proto__`, which plain assignment would ignore. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
