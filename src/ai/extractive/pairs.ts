import type { Span } from '../../notes/model.ts';
import { Turn } from '../../turn.ts';
import type { Source } from '../grounding/source.ts';

/** A line such as `Author: Jane`. */
export interface Pair {
  readonly key: string;
  readonly value: string;
  /** 1-based. */
  readonly line: number;
}

/** A table: the names of its columns and its rows. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly cells: readonly string[]; readonly line: number }[];
}

/** A list under a heading. */
export interface ItemList {
  readonly heading: string;
  readonly items: readonly { readonly text: string; readonly line: number }[];
}

export interface Facts {
  readonly pairs: readonly Pair[];
  readonly tables: readonly Table[];
  readonly lists: readonly ItemList[];
  /** The lines outside code blocks. */
  readonly lines: readonly { readonly text: string; readonly line: number }[];
}

const FENCE = /^[ \t>]*(`{3,}|~{3,})/;
const PAIR =
  /^[ \t>]*(?:[-*+][ \t]+)?(?:(?:\*\*|__)?([\p{L}][\p{L}\p{N} _/-]{0,38})(?:\*\*|__)?[ \t]*::?(?:\*\*|__)?)[ \t]+(\S.*)$/u;
const INLINE = /\[([\p{L}][\p{L}\p{N} _-]{0,38})::[ \t]*([^\]\n]{1,500})\]/gu;
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?(\S.*)$/;
const RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** Limit of characters per line; the rest is ignored. */
const MOST_LINE = 2000;
const SLICE = 200;

/** Collects what a note states in a fixed form: pairs, tables and lists. Code is left out. */
export async function factsOf(source: Source, span: Span, turn: Turn = new Turn()): Promise<Facts> {
  const { text, lines, headings } = source;
  const titles = new Map(headings.map((heading) => [heading.line, heading.text]));
  const facts = { pairs: [] as Pair[], tables: [] as Table[], lists: [] as ItemList[], lines: [] as Line[] };
  let fence: string | undefined;
  let heading = '';
  let items: { text: string; line: number }[] = [];
  const endList = () => {
    if (items.length > 0) facts.lists.push({ heading, items });
    items = [];
  };
  const first = lines.lineAt(span.start);
  const last = lines.lineAt(Math.max(span.start, span.end - 1));
  let above: Line | undefined;
  let table: { columns: string[]; rows: { cells: string[]; line: number }[] } | undefined;
  for (let line = first; line <= last; line += 1) {
    if ((line - first) % SLICE === 0) await turn.mine();
    const start = Math.max(span.start, lines.startOf(line));
    const written = text.slice(start, Math.min(span.end, lines.endOf(line), start + MOST_LINE)).trimEnd();
    const mark = FENCE.exec(written)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const title = titles.get(line);
    if (title !== undefined) {
      endList();
      heading = title;
      continue;
    }
    facts.lines.push({ text: written, line });
    table = tableAt(table, written, line);
    const item = ITEM.exec(written)?.[1];
    if (item !== undefined) items.push({ text: item, line });
    else if (written.trim() !== '' && !/^[ \t]/.test(written)) endList();
    addPairs(written, line);
    above = { text: written, line };
  }
  endList();
  return facts;

  function tableAt(
    open: { columns: string[]; rows: { cells: string[]; line: number }[] } | undefined,
    written: string,
    line: number,
  ) {
    if (!written.includes('|')) return undefined;
    if (open !== undefined) {
      open.rows.push({ cells: cellsOf(written), line });
      return open;
    }
    if (!RULE.test(written) || above === undefined || above.line !== line - 1 || !above.text.includes('|'))
      return undefined;
    const started = { columns: cellsOf(above.text), rows: [] };
    facts.tables.push(started);
    return started;
  }

  function addPairs(written: string, line: number): void {
    for (const [, key = '', value = ''] of written.matchAll(INLINE))
      facts.pairs.push({ key, value: value.trim(), line });
    const [, key, value] = PAIR.exec(written) ?? [];
    if (key !== undefined && value !== undefined && !written.includes('|'))
      facts.pairs.push({ key: key.trim(), value: plain(value), line });
  }
}

interface Line {
  readonly text: string;
  readonly line: number;
}

/** The cells of a table row; `\|` is an escaped bar, not a separator. */
function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim().replaceAll('\\|', '|')));
}

/** Without markup around the whole value: `**bold**`, `` `code` ``, `"quotes"`. */
function plain(value: string): string {
  const trimmed = value.trim();
  const [, , inner] = /^(\*\*|__|`|")(.+)\1$/.exec(trimmed) ?? [];
  return inner ?? trimmed;
}

/** Key of a property or column name: case, spaces and punctuation are ignored. */
export function nameKey(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
