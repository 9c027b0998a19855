import type { Span } from '../../notes/model.ts';
import type { Turn } from '../../turn.ts';
import type { Source } from '../grounding/source.ts';

const FENCE = /^[ \t>]*(`{3,}|~{3,})/;
/** Markers of quotes, lists and tasks at the start of a line. */
const MARKS = /^[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[^\]\n]{1,3}\][ \t]+)?)?/;
const ITEM = /^[ \t]*(?:>[ \t]?)*[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/;
/**
 * Lines that are not prose: tables, rules, definitions, HTML, callout headers, properties, math, embeds alone
 * on a line.
 */
const NO_PROSE =
  /^(?:\||[ \t]*[-*_=:| ]{3,}[ \t]*$|\[[^\]]+\]:|<[a-z!/?]|\[![^\]]+\]|[\w-]+::|\$\$|!\[\[[^\]]*\]\][ \t]*$|!\[[^\]]*\]\([^)]*\)[ \t]*$|#{1,6}[ \t])/i;
const COMMENT = /%%|<!--|-->/;
/** Lines processed before the event loop gets a turn. */
const SLICE = 200;

/**
 * The paragraphs and list items of a span, without the markers at the start of their lines. Headings, code,
 * tables, comments, HTML and properties are left out. Works line by line and lets other work run in between.
 */
export async function* proseOf(source: Source, span: Span, turn: Turn): AsyncGenerator<Span> {
  const { text, lines, headings } = source;
  const titles = new Set(headings.flatMap((heading) => linesOf(source, heading.span)));
  const state: State = { fence: undefined, comment: undefined };
  let open: { start: number; end: number } | undefined;
  const first = lines.lineAt(span.start);
  const last = lines.lineAt(Math.max(span.start, span.end - 1));
  for (let line = first; line <= last; line += 1) {
    if ((line - first) % SLICE === 0) await turn.mine();
    const start = Math.max(span.start, lines.startOf(line));
    const end = Math.min(span.end, lines.endOf(line));
    const written = text.slice(start, end);
    const content = titles.has(line) ? undefined : contentOf(written, state);
    const goesOn = content !== undefined && open !== undefined && !ITEM.test(written);
    if (open !== undefined && !goesOn) {
      yield open;
      open = undefined;
    }
    if (content === undefined) continue;
    if (open === undefined) open = { start: start + content, end };
    else open.end = end;
  }
  if (open !== undefined) yield open;
}

interface State {
  fence: string | undefined;
  comment: '%%' | '-->' | undefined;
}

/** Offset in the line, UTF-16 code units, where its text begins; undefined when it has none. */
function contentOf(line: string, state: State): number | undefined {
  const mark = FENCE.exec(line)?.[1];
  if (state.fence !== undefined) {
    if (mark?.startsWith(state.fence) === true && /^[ \t>]*[`~]+[ \t]*$/.test(line)) state.fence = undefined;
    return undefined;
  }
  if (state.comment !== undefined) {
    if (line.includes(state.comment)) state.comment = undefined;
    return undefined;
  }
  if (mark !== undefined) {
    state.fence = mark;
    return undefined;
  }
  if (COMMENT.test(line)) {
    // A comment left open hides the lines that follow; a line that contains a comment is left out.
    if ((line.match(/%%/g)?.length ?? 0) % 2 === 1) state.comment = '%%';
    else if (line.lastIndexOf('<!--') > line.lastIndexOf('-->')) state.comment = '-->';
    return undefined;
  }
  if (line.trim() === '' || /^(?: {4}|\t)(?![ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])/.test(line)) return undefined;
  const content = MARKS.exec(line)?.[0].length ?? 0;
  return NO_PROSE.test(line.slice(content)) ? undefined : content;
}

function linesOf({ lines }: Source, { start, end }: Span): number[] {
  const first = lines.lineAt(start);
  return Array.from({ length: lines.lineAt(Math.max(start, end - 1)) - first + 1 }, (_, at) => first + at);
}
