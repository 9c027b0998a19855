import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect, Frontmatter, FrontmatterProblem, Property, Span } from '../model.ts';
import { type BlockReading, findFencedBlock, type PropertyScalar, setOwn } from './block.ts';
import { readLogseqProperties } from './logseq.ts';
import { readQuick } from './quick.ts';
import { readYaml } from './yaml.ts';

export type { PropertyScalar } from './block.ts';

/**
 * Parses a note's properties: the `---` block, or in a Logseq vault without one the `key:: value` lines of
 * the first block.
 *
 * @param text the whole note as stored, BOM and line endings included
 * @returns undefined when the note has no property block; an unreadable block has no properties, and
 *   `problems` says why
 */
export function parseFrontmatter(text: string, dialect: Dialect): Frontmatter | undefined {
  return readFrontmatter(text, dialect)?.frontmatter;
}

export interface FrontmatterReading {
  readonly frontmatter: Frontmatter;
  /** The result of `frontmatterScalars`, without parsing the block again. */
  readonly scalars: readonly PropertyScalar[];
}

/** `parseFrontmatter` and `frontmatterScalars` in one pass: YAML is the slowest part of a small note. */
export function readFrontmatter(text: string, dialect: Dialect): FrontmatterReading | undefined {
  const fenced = findFencedBlock(text);
  if (fenced !== undefined) {
    const { properties, scalars, problems } = readBlock(text, fenced.contentSpan);
    const frontmatter: Frontmatter = {
      kind: 'yaml',
      ...fenced,
      properties,
      data: dataOf(properties),
      problems,
    };
    return { frontmatter, scalars };
  }
  if (!DIALECT_RULES[dialect].propertyLines) return undefined;
  const block = readLogseqProperties(text);
  if (block === undefined) return undefined;
  const { span, properties, scalars, problems } = block;
  const data = dataOf(properties);
  return { frontmatter: { kind: 'logseq', span, contentSpan: span, properties, data, problems }, scalars };
}

/**
 * Every string in the properties with its position, in source order: links and tags in properties are found
 * in these. Numbers, booleans, aliases (`*x`) and keys are not strings.
 *
 * @param frontmatter the result of `parseFrontmatter` for the same `text`
 */
export function frontmatterScalars(frontmatter: Frontmatter, text: string): readonly PropertyScalar[] {
  return readAgain(frontmatter, text).scalars;
}

function readAgain(frontmatter: Frontmatter, text: string): Pick<BlockReading, 'scalars'> {
  if (frontmatter.properties.length === 0) return { scalars: [] };
  if (frontmatter.kind === 'logseq') return readLogseqProperties(text) ?? { scalars: [] };
  return readBlock(text, frontmatter.contentSpan);
}

function readBlock(text: string, content: Span): BlockReading {
  return readQuick(text, content) ?? readYaml(text, content);
}

/** The property of this name; an exact match takes precedence over one that differs in case. */
export function propertyByName(frontmatter: Frontmatter | undefined, name: string): Property | undefined {
  const properties = frontmatter?.properties ?? [];
  const wanted = nameKey(name);
  return properties.find((one) => one.key === name) ?? properties.find((one) => nameKey(one.key) === wanted);
}

/**
 * The note's aliases: the strings of `aliases` (Obsidian, SilverBullet) or `alias` (Logseq), trimmed, without
 * duplicates.
 */
export function aliasesOf(frontmatter: Frontmatter | undefined): readonly string[] {
  const names = frontmatter?.kind === 'logseq' ? ['alias', 'aliases'] : ['aliases'];
  const found = names.flatMap((name) => propertyByName(frontmatter, name)?.value ?? []);
  const texts = found.filter((one): one is string => typeof one === 'string').map((one) => one.trim());
  return [...new Set(texts.filter((one) => one !== ''))];
}

/** Errors that make the block unreadable or ambiguous. */
export function errorsIn(frontmatter: Frontmatter | undefined): readonly FrontmatterProblem[] {
  return frontmatter?.problems.filter(({ severity }) => severity === 'error') ?? [];
}

/** Where the text after the property block starts: after the closing fence's EOL, else after a BOM. */
export function bodyStartOf(text: string, frontmatter: Frontmatter | undefined): number {
  return frontmatter?.span.end ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0);
}

function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function dataOf(properties: readonly Property[]): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const { key, value } of properties) if (!Object.hasOwn(data, key)) setOwn(data, key, value);
  return data;
}
