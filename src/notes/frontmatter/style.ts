import type { Frontmatter, Property, Span } from '../model.ts';
import type { RenderStyle } from './render.ts';
import { shapeOf } from './shape.ts';

/**
 * The style for a new value: the property's own, or else the most frequent one in the block, or else Obsidian's
 * (block lists indented by two spaces, plain text, double quotes).
 *
 * @param property the one to replace; undefined for a new one
 */
export function styleNearby(
  text: string,
  frontmatter: Frontmatter | undefined,
  property: Property | undefined,
): RenderStyle {
  const values = (frontmatter?.properties ?? []).map((one) => ({ one, raw: slice(text, one.valueSpan) }));
  const own = property && values.find(({ one }) => one === property)?.raw;
  const blockLists = values.filter(({ raw }) => /^-(?:\s|$)/.test(raw));
  const flowLists = values.filter(({ raw }) => raw.startsWith('['));
  const singles = values.filter(({ raw }) => /^(?:\[\s*|-\s+)?'/.test(raw)).length;
  const doubles = values.filter(({ raw }) => /^(?:\[\s*|-\s+)?"/.test(raw)).length;
  const ownList = own === undefined ? undefined : listStyleOf(own);
  const indent = indentOf(text, property ?? frontmatter?.properties[0]);
  const ownQuotes = property && quotesOf(text, property);
  const listModel = blockLists.find(({ one }) => one === property) ?? blockLists[0];
  const padded = ownList === 'flow' ? own : flowLists[0]?.raw;
  return {
    indent,
    string: ownQuotes ?? 'plain',
    quote: singles > doubles ? 'single' : 'double',
    list: ownList ?? (flowLists.length > blockLists.length ? 'flow' : 'block'),
    listIndent: listModel === undefined ? '  ' : relativeIndent(text, listModel.one, indent),
    literal: true,
    padding: padded !== undefined && /^\[ \S/.test(padded) ? ' ' : '',
  };
}

function listStyleOf(raw: string): 'flow' | 'block' | undefined {
  if (raw.startsWith('[')) return 'flow';
  return /^-(?:\s|$)/.test(raw) ? 'block' : undefined;
}

/** The quotes of a text, or of a list whose items all have the same; undefined when mixed or none. */
function quotesOf(text: string, property: Property): 'single' | 'double' | undefined {
  const { kind, quote, itemQuotes } = shapeOf(text, property);
  const quotes = new Set(kind === 'scalar' ? [quote] : itemQuotes);
  const [only] = quotes;
  return quotes.size === 1 && (only === 'single' || only === 'double') ? only : undefined;
}

/** The white space before a key. */
function indentOf(text: string, property: Property | undefined): string {
  if (property === undefined) return '';
  const lead = text.slice(text.lastIndexOf('\n', property.keySpan.start - 1) + 1, property.keySpan.start);
  return /^ *$/.test(lead) ? lead : '';
}

function relativeIndent(text: string, list: Property, indent: string): string {
  const start = list.valueSpan.start;
  const lead = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return /^ *$/.test(lead) ? lead.slice(indent.length) : '  ';
}

function slice(text: string, { start, end }: Span): string {
  return text.slice(start, end);
}
