import { wikiRule } from './dialects/wiki-rule.ts';
import { frontmatterScalars, type PropertyScalar } from './frontmatter.ts';
import { type InlineContext, InlineScan, type InlineSyntax } from './inline.ts';
import { buildLink, readResource } from './links-markdown.ts';
import type { Dialect, Frontmatter, Link, Span, Tag } from './model.ts';
import type { LineIndex } from './text.ts';

/** Links and tags in properties. Spans are the raw places inside the quoted value. */
export interface PropertyFindings {
  readonly links: readonly Link[];
  readonly tags: readonly Tag[];
}

const NOTHING: PropertyFindings = { links: [], tags: [] };

export function readPropertyFindings(
  text: string,
  frontmatter: Frontmatter | undefined,
  lines: LineIndex,
  dialect: Dialect,
  syntax: InlineSyntax,
): PropertyFindings {
  if (frontmatter === undefined) return NOTHING;
  const content = text.slice(frontmatter.contentSpan.start, frontmatter.contentSpan.end);
  const mayLink = content.includes('[[') || content.includes('](') || frontmatter.kind === 'logseq';
  const mayTag = frontmatter.properties.some(({ key }) => isTagsKey(key));
  if (!mayLink && !mayTag) return NOTHING;
  const links: Link[] = [];
  const tags: Tag[] = [];
  for (const scalar of frontmatterScalars(frontmatter, text)) {
    if (isTagsKey(scalar.keyPath.replace(/\.\d+$/, ''))) {
      tags.push(...propertyTags(text, scalar, frontmatter, dialect, lines));
    }
    if (mayLink) links.push(...propertyLinks(text, scalar, frontmatter, dialect, syntax, lines));
  }
  return { links, tags };
}

function isTagsKey(key: string): boolean {
  return key.toLowerCase() === 'tags';
}

/** The place of a scalar's characters, without its quotes. */
function innerSpan(scalar: PropertyScalar): Span {
  const quoted = scalar.style === 'single' || scalar.style === 'double' ? 1 : 0;
  return { start: scalar.span.start + quoted, end: scalar.span.end - quoted };
}

function propertyLinks(
  text: string,
  scalar: PropertyScalar,
  frontmatter: Frontmatter,
  dialect: Dialect,
  syntax: InlineSyntax,
  lines: LineIndex,
): Link[] {
  const inner = innerSpan(scalar);
  const context: InlineContext = { text, lines, runs: [inner], opaque: [], destinations: [], links: [] };
  const rules = frontmatter.kind === 'logseq' ? syntax : { rules: { '[': wikiRule(dialect) } };
  const found = new InlineScan(context).run(rules).links;
  const markdown = found.length === 0 ? wholeMarkdownLink(text, inner, lines) : undefined;
  const links = markdown === undefined ? found : [markdown];
  return links.map((link) => ({ ...unescaped(link, scalar), property: scalar.keyPath }));
}

/** `[text](target)` as the whole value, as Obsidian reads it since 1.11. */
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

/** Resolves the quoting of the scalar in what the link means; what is written stays in the spans. */
function unescaped(link: Link, scalar: PropertyScalar): Link {
  if (scalar.style === 'single') {
    const plain = (value: string): string => value.replaceAll("''", "'");
    return { ...link, target: plain(link.target), subpath: plain(link.subpath) };
  }
  if (scalar.style === 'double') {
    const plain = (value: string): string => value.replace(/\\(["\\/])/g, '$1');
    return { ...link, target: plain(link.target), subpath: plain(link.subpath) };
  }
  return link;
}

/** One scalar of `tags`. Obsidian takes no entry with a space; SilverBullet splits at spaces and commas. */
function propertyTags(
  text: string,
  scalar: PropertyScalar,
  frontmatter: Frontmatter,
  dialect: Dialect,
  lines: LineIndex,
): Tag[] {
  const names =
    frontmatter.kind === 'logseq'
      ? [scalar.value.trim().replace(/^\[\[(.*)\]\]$/, '$1')]
      : dialect === 'silverbullet'
        ? scalar.value.split(/[\s,]+/)
        : [scalar.value.trim()];
  const inner = innerSpan(scalar);
  const tags: Tag[] = [];
  let from = inner.start;
  for (const written of names) {
    const name = written.replace(/^#/, '').replace(/\/+$/, '');
    if (name === '' || /^\d+$/.test(name)) continue;
    if (frontmatter.kind === 'yaml' && dialect !== 'silverbullet' && /[\s,]/.test(name)) continue;
    const found = text.indexOf(name, from);
    const exact = found >= 0 && found + name.length <= inner.end;
    const span = exact ? { start: found, end: found + name.length } : inner;
    if (exact) from = span.end;
    tags.push({ name, span, property: scalar.keyPath, line: lines.lineAt(span.start) });
  }
  return tags;
}
