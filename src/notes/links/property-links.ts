import { propertyTagLink } from '../dialects/logseq.ts';
import { DIALECT_RULES } from '../dialects/rules.ts';
import { wikiRule } from '../dialects/wiki-rule.ts';
import type { FrontmatterReading, PropertyScalar } from '../frontmatter/frontmatter.ts';
import type { Dialect, Frontmatter, Link, Span, Tag } from '../model.ts';
import { InlineScan, type InlineSyntax } from '../structure/inline.ts';
import { isPropertyTag } from '../structure/tags.ts';
import type { LineIndex } from '../text.ts';
import { buildLink, readResource } from './markdown.ts';

/** Links and tags in properties. Spans are in the note's source, inside quoted values. */
export interface PropertyFindings {
  readonly links: readonly Link[];
  readonly tags: readonly Tag[];
}

const NOTHING: PropertyFindings = { links: [], tags: [] };
const LINK_MARKS = /\[\[|\]\(|\(\(|#/;
/** YAML properties contain only wikilinks; `#` starts a comment there and not a tag. */
const WIKI_ONLY: Readonly<Record<Dialect, InlineSyntax>> = {
  obsidian: { rules: { '[': wikiRule('obsidian') } },
  silverbullet: { rules: { '[': wikiRule('silverbullet') } },
  logseq: { rules: { '[': wikiRule('logseq') } },
};

/**
 * Finds the links and tags in properties.
 *
 * @param syntax the dialect's inline syntax, which applies in Logseq's `key:: value` lines
 */
export function readPropertyFindings(
  text: string,
  reading: FrontmatterReading | undefined,
  lines: LineIndex,
  dialect: Dialect,
  syntax: InlineSyntax,
): PropertyFindings {
  if (reading === undefined) return NOTHING;
  const { frontmatter, scalars } = reading;
  const tags = scalars
    .filter(({ keyPath }) => isTagsKey(keyPath.replace(/\.\d+$/, '')))
    .flatMap((scalar) => propertyTags(text, scalar, frontmatter, dialect, lines));
  const pages = frontmatter.kind === 'logseq' ? tags.flatMap((tag) => plainPage(text, tag, lines)) : [];
  const linking = scalars.filter(({ span }) => LINK_MARKS.test(text.slice(span.start, span.end)));
  if (linking.length === 0) return { links: pages, tags };
  // Without the body, so that the scanner does not search it for closing marks.
  const head = text.slice(0, frontmatter.span.end);
  const runs = linking.map(innerSpan);
  const scan = new InlineScan({ text: head, lines, runs, opaque: [], destinations: [], links: [] });
  const found = scan.run(frontmatter.kind === 'logseq' ? syntax : WIKI_ONLY[dialect]).links;
  const links: Link[] = [];
  let next = 0;
  for (const scalar of linking) {
    const own: Link[] = [];
    for (
      let link = found[next];
      link !== undefined && link.span.start < scalar.span.end;
      link = found[next]
    ) {
      own.push(link);
      next += 1;
    }
    const markdown = own.length === 0 ? wholeMarkdownLink(head, innerSpan(scalar), lines) : undefined;
    if (markdown !== undefined) own.push(markdown);
    for (const link of own) links.push({ ...unescaped(link, scalar), property: scalar.keyPath });
  }
  return { links: [...pages, ...links].sort((a, b) => a.span.start - b.span.start), tags };
}

/** A page that Logseq's `tags::` names without brackets and `#`; those with them are found as links. */
function plainPage(text: string, { name, span, property }: Tag, lines: LineIndex): Link[] {
  const marked = /[#[]/.test(text[span.start - 1] ?? '') || text.slice(span.start, span.end) !== name;
  return marked || property === undefined ? [] : [propertyTagLink(lines, name, span, property)];
}

function isTagsKey(key: string): boolean {
  return key.toLowerCase() === 'tags';
}

/** The span of a scalar without its quotes. */
function innerSpan(scalar: PropertyScalar): Span {
  const quoted = scalar.style === 'single' || scalar.style === 'double' ? 1 : 0;
  return { start: scalar.span.start + quoted, end: scalar.span.end - quoted };
}

/** A Markdown link that is the whole value, which Obsidian supports since 1.11. */
function wholeMarkdownLink(text: string, inner: Span, lines: LineIndex): Link | undefined {
  const raw = text.slice(inner.start, inner.end);
  const embed = raw.startsWith('![');
  const labelEnd = raw.indexOf('](');
  if ((!embed && !raw.startsWith('[')) || labelEnd < 0) return undefined;
  const destination = readResource(text, inner.start + labelEnd + 1, inner.end);
  if (destination === undefined) return undefined;
  return buildLink(text, {
    syntax: 'markdown',
    embed,
    span: inner,
    label: { start: inner.start + (embed ? 2 : 1), end: inner.start + labelEnd },
    destination,
    url: text.slice(destination.span.start, destination.span.end),
    line: lines.lineAt(inner.start),
  });
}

/** Resolves the scalar's escapes in a link's target and subpath; its spans are unchanged. */
function unescaped(link: Link, scalar: PropertyScalar): Link {
  if (scalar.style === 'single') {
    const plain = (value: string): string => value.replaceAll("''", "'");
    return { ...link, target: plain(link.target), subpath: plain(link.subpath) };
  }
  if (scalar.style === 'double') {
    const plain = (value: string): string => value.replace(ESCAPE, unescapedOne);
    return { ...link, target: plain(link.target), subpath: plain(link.subpath) };
  }
  return link;
}

/** YAML escapes in double quotes; PyYAML without `allow_unicode` writes `é` as `\xE9`. */
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs;

function unescapedOne(written: string, x?: string, u?: string, long?: string, char?: string): string {
  const code = x ?? u ?? long;
  if (code === undefined) return char === 't' ? '\t' : char === '_' ? '\u00a0' : (char ?? written);
  const point = Number.parseInt(code, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : written;
}

/**
 * The tags of one scalar of `tags`. Obsidian ignores one with a space; SilverBullet splits at spaces and
 * commas.
 */
function propertyTags(
  text: string,
  scalar: PropertyScalar,
  frontmatter: Frontmatter,
  dialect: Dialect,
  lines: LineIndex,
): Tag[] {
  const { tagSeparator, plainTagsInYaml } = DIALECT_RULES[dialect];
  const names =
    frontmatter.kind === 'logseq'
      ? [scalar.value.trim().replace(/^\[\[(.*)\]\]$/, '$1')]
      : tagSeparator !== undefined
        ? scalar.value.split(tagSeparator)
        : [scalar.value.trim()];
  const inner = innerSpan(scalar);
  const tags: Tag[] = [];
  let from = inner.start;
  for (const written of names) {
    const name = written.replace(/^#/, '').replace(/\/+$/, '');
    if (name === '' || /^\d+$/.test(name)) continue;
    if (frontmatter.kind === 'yaml' && plainTagsInYaml && !isPropertyTag(name)) continue;
    const found = text.indexOf(name, from);
    const exact = found >= 0 && found + name.length <= inner.end;
    const span = exact ? { start: found, end: found + name.length } : inner;
    if (exact) from = span.end;
    tags.push({ name, span, property: scalar.keyPath, line: lines.lineAt(span.start) });
  }
  return tags;
}
