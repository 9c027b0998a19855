import { findQuote, isTelling } from './quote.ts';
import type { Place } from './source.ts';

/** The reply of a model when the notes do not contain the answer. */
export const NOT_IN_NOTES = 'NOT_IN_NOTES';

/** A sentence of a reply, with the places that support it. */
export interface Claim {
  readonly text: string;
  /** Places of the quotes that were found. */
  readonly places: readonly Place[];
  /** Number of citations whose passage does not exist or does not contain the quote. */
  readonly dropped: number;
}

/** The part of a prompt that defines the form of a reply. */
export const REPLY_FORM = [
  'Write each sentence on a line of its own. After it, on the same line, give at least one citation of the form [n: "words"]:',
  'n is the number of a passage that says so, and words are copied from that passage exactly, at least three and at most twenty-five of them.',
  'Say nothing that no passage says. Write plain text: no headings, lists, links, images, HTML or code.',
].join(' ');

const CITATION = /\[\s*(\d{1,4})\s*(?::\s*["“”«]((?:(?!["“”»]\s*\])[\s\S]){1,2000}?)["“”»]\s*)?\]/g;

/**
 * Parses one line of a reply.
 *
 * @param passages in the order of their numbers, which begin at 1
 * @returns undefined for a line without a sentence
 */
export function readClaim(line: string, passages: readonly Place[]): Claim | undefined {
  const places: Place[] = [];
  let dropped = 0;
  let cited = 0;
  for (const [, number = '', quote] of line.matchAll(CITATION)) {
    cited += 1;
    const passage = passages[Number(number) - 1];
    const place = passage && quote !== undefined ? findQuote(quote, passage) : undefined;
    if (place === undefined) dropped += 1;
    else if (!places.some((other) => isSame(other, place))) places.push(place);
  }
  const text = line
    .replace(CITATION, '')
    .replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+/, '')
    .replace(/\s+([.,;!?])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  // A short line without a citation is a label of what follows, not a statement.
  if (cited === 0 && !isTelling(text)) return undefined;
  return { text, places, dropped };
}

export function saysNotInNotes(reply: string): boolean {
  return new RegExp(`^[\\s"'*\`_]*${NOT_IN_NOTES}\\b`).test(reply);
}

/** Parses a reply line by line as it arrives. */
export class ReplyReader {
  readonly #passages: readonly Place[];
  readonly #onClaim: (claim: Claim) => void;
  #open = '';
  readonly claims: Claim[] = [];

  constructor(passages: readonly Place[], onClaim: (claim: Claim) => void = () => {}) {
    this.#passages = passages;
    this.#onClaim = onClaim;
  }

  write(text: string): void {
    const lines = (this.#open + text).split(/\r?\n/);
    this.#open = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  /**
   * @param cut whether the reply was cut off: then a last line without a citation is dropped as incomplete
   */
  end(cut = false): readonly Claim[] {
    const last = this.#open;
    this.#open = '';
    if (!cut || /\]\s*[.!?]?\s*$/.test(last)) this.#line(last);
    return this.claims;
  }

  #line(line: string): void {
    if (saysNotInNotes(line)) return;
    const claim = readClaim(line, this.#passages);
    if (claim === undefined) return;
    this.claims.push(claim);
    this.#onClaim(claim);
  }
}

function isSame(a: Place, b: Place): boolean {
  return a.source.path === b.source.path && a.start === b.start && a.end === b.end;
}
