import { isBareTag } from '../../notes/dialects/logseq.ts';
import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import { frontmatterScalars, type PropertyScalar } from '../../notes/frontmatter/frontmatter.ts';
import { quotedAs, scalarAround } from '../../notes/frontmatter/property-quote.ts';
import { linkedId } from '../../notes/links/id-links.ts';
import { encodeDestination, linkText } from '../../notes/links/link-text.ts';
import { percentDecode } from '../../notes/links/markdown.ts';
import { type FileLookup, type Resolution, resolveLink } from '../../notes/links/resolve.ts';
import type { Frontmatter, Link, Span } from '../../notes/model.ts';
import { dirName, joinRelative, pathKey, stem } from '../../notes/path.ts';
import type { Splice } from '../../notes/splice.ts';
import type { VaultSettings } from '../settings.ts';
import type { Retitled } from './retitle.ts';

/** A change of files, as link resolution sees it. */
export interface FileChange {
  readonly before: FileLookup;
  readonly after: FileLookup;
  /** Old path → new path. */
  readonly moved: ReadonlyMap<string, string>;
  readonly settings: Pick<VaultSettings, 'dialect' | 'newLinkFormat' | 'usesMarkdownLinks'>;
  /** The folder that moved with its files: links written as full paths stay full paths, whatever the setting. */
  readonly folder: { readonly from: string; readonly to: string } | undefined;
  /** Logseq pages whose `title::` changes with the move, by old path. */
  readonly retitled: ReadonlyMap<string, Retitled>;
}

export interface Relinked {
  /** Sorted, disjoint. */
  readonly splices: readonly Splice[];
  readonly links: number;
  /** Targets for which no spelling leads to the new path. */
  readonly lost: readonly string[];
}

/**
 * The splices that keep the target of every link in one note: links to moved files, relative links of a moved
 * note, and bare names that another file would now take. A link that still resolves to the same file is not
 * changed, nor is a link without a target, with three exceptions: a Markdown link that was valid as a
 * relative path stays valid as one, a name that became ambiguous is written as a path, and a name whose case
 * changed is written in its new case.
 *
 * @param source the note's path before the change
 */
export function relinkNote(
  source: string,
  text: string,
  links: readonly Link[],
  frontmatter: Frontmatter | undefined,
  change: FileChange,
): Relinked {
  const splices = new Map<number, Splice>();
  const lost: string[] = [];
  let count = 0;
  let scalars: readonly PropertyScalar[] | undefined;
  for (const link of links) {
    if (link.syntax === 'block-ref' || link.target === '') continue;
    const rewritten = rewriteTarget(source, link.target, kindOf(link), change, link.angle);
    if (rewritten === undefined) continue;
    if (rewritten.text === undefined) {
      lost.push(link.target);
      continue;
    }
    count++;
    scalars ??= frontmatter ? frontmatterScalars(frontmatter, text) : [];
    const style = link.property === undefined ? undefined : scalarAround(scalars, link.span)?.style;
    add(splices, link.targetSpan, quotedAs(style, asTagRef(text, link, rewritten.text)));
    const display =
      link.displaySpan && followedDisplay(link, rewritten.old, rewritten.target, rewritten.text);
    if (display !== undefined && link.displaySpan) add(splices, link.displaySpan, quotedAs(style, display));
  }
  return { splices: [...splices.values()].sort((a, b) => a.start - b.start), links: count, lost };
}

/** Logseq's `#Page` takes brackets when the new name contains a space or another delimiter. */
function asTagRef(text: string, link: Link, name: string): string {
  const bare = link.syntax === 'tag-ref' && text[link.targetSpan.start - 1] === '#';
  return bare && !isBareTag(name) ? `[[${name}]]` : name;
}

/** The path a canvas file node contains after the change; undefined when it is unchanged. */
export function relinkPath(path: string, change: FileChange): string | undefined {
  const exact = change.before.byName(nameOf(path)).find((one) => pathKey(one) === pathKey(path));
  return exact === undefined ? undefined : change.moved.get(exact);
}

function nameOf(path: string): string {
  return pathKey(path.slice(path.lastIndexOf('/') + 1));
}

/** Whether a link with this target would be rewritten. */
export function wouldFollow(source: string, target: string, kind: Kind, change: FileChange): boolean {
  return rewriteTarget(source, target, kind, change, false) !== undefined;
}

type Kind = 'wiki' | 'markdown';

function kindOf(link: Link): Kind {
  return link.syntax === 'markdown' || link.syntax === 'reference' ? 'markdown' : 'wiki';
}

interface Rewritten {
  /** The new target; undefined when no spelling leads there. */
  readonly text: string | undefined;
  readonly old: string;
  readonly target: string;
}

function rewriteTarget(
  source: string,
  target: string,
  kind: Kind,
  change: FileChange,
  angle: boolean,
): Rewritten | undefined {
  const { before, after, moved, settings } = change;
  // A link by id stays valid when its file moves.
  if (linkedId(target, kind) !== undefined) return undefined;
  const was = resolveLink(source, target, kind, before, settings.dialect);
  const old = was.path;
  if (old === undefined) return undefined;
  const expected = moved.get(old) ?? old;
  const sourceAfter = moved.get(source) ?? source;
  const now = resolveLink(sourceAfter, target, kind, after, settings.dialect);
  if (now.path === expected) {
    const { dialect, newLinkFormat, usesMarkdownLinks } = settings;
    // A program that writes Markdown links by name needs no relative path, and no other program wrote this
    // one.
    const forOthers = kind === 'markdown' && !(usesMarkdownLinks && newLinkFormat !== 'relative');
    const kept = !forOthers || !isPathFrom(source, target, old) || isPathFrom(sourceAfter, target, expected);
    const certain = was.ambiguous.length > 0 || !isTied(now, sourceAfter);
    const rules = DIALECT_RULES[dialect];
    const isName = !rules.respellsWikilinks && kind === 'wiki';
    const respelled = !isName && isRespelled(target, old, expected);
    if (!respelled && (rules.relinks === 'broken' || (kept && certain))) return undefined;
  }
  const style = styleOf(source, target, kind, old, change);
  if (style === 'rooted') {
    const written = `/${withoutMd(expected, target)}`;
    if (resolveLink(sourceAfter, written, kind, after, settings.dialect).path === expected) {
      return { text: kind === 'wiki' ? written : encodeDestination(written, angle), old, target: expected };
    }
  }
  const text = linkText({
    source: sourceAfter,
    target: expected,
    syntax: kind,
    format: style === 'rooted' ? 'absolute' : style,
    dialect: settings.dialect,
    files: after,
    angle,
  });
  const leads = (written: string) =>
    resolveLink(sourceAfter, percentDecode(written), kind, after, settings.dialect).path === expected;
  return {
    text: kind === 'markdown' && text !== undefined ? likeWritten(text, target, leads) : text,
    old,
    target: expected,
  };
}

/** A Markdown link written without `.md`, or with `./` in front, keeps that form where it still leads to the file. */
function likeWritten(text: string, old: string, leads: (written: string) => boolean): string {
  const bare = /\.md$/i.test(old) ? text : text.replace(/\.md$/i, '');
  const kept = leads(bare) ? bare : text;
  const dotted = old.startsWith('./') && !/^[./]/.test(kept) ? `./${kept}` : kept;
  return leads(dotted) ? dotted : kept;
}

/**
 * Wikilinks follow the vault's setting, as its own program writes them (except for `folder`). Markdown links
 * keep their form (from the root, relative, or a path), because other programs read them too.
 */
function styleOf(
  source: string,
  target: string,
  kind: Kind,
  old: string,
  change: FileChange,
): 'rooted' | 'relative' | 'shortest' | 'absolute' {
  if (target.startsWith('/')) return 'rooted';
  const isOld = (path: string | undefined) => path !== undefined && isSpelling(path, old);
  if (kind === 'wiki') {
    return change.folder && target.includes('/') && isOld(target)
      ? 'absolute'
      : change.settings.newLinkFormat;
  }
  if (isOld(joinRelative(source, target))) return 'relative';
  return isOld(target) ? 'absolute' : dirName(target) === '' ? 'shortest' : 'relative';
}

/** A Markdown link that other programs follow too: they resolve relative paths, not names. */
function isPathFrom(source: string, target: string, path: string): boolean {
  const joined = target.startsWith('/') ? undefined : joinRelative(source, target);
  return joined !== undefined && isSpelling(joined, path);
}

function isSpelling(written: string, path: string): boolean {
  return pathKey(written) === pathKey(path) || pathKey(`${written}.md`) === pathKey(path);
}

/**
 * Whether the names in a link changed in case only. The link is updated all the same, for programs and drives
 * that distinguish case.
 */
function isRespelled(written: string, old: string, path: string): boolean {
  if (old === path) return false;
  const names = written.split('/').filter((name) => name !== '' && name !== '.' && name !== '..');
  const end = (whole: string) => whole.normalize('NFC').split('/').slice(-names.length).join('/');
  const now = end(path);
  const spelled = names.join('/').normalize('NFC');
  return now !== end(old) && now !== spelled && now.replace(/\.md$/i, '') !== spelled;
}

/** True when only the order of the index decides which of two files of one name a link opens. */
function isTied({ ambiguous: [first, second] }: Resolution, source: string): boolean {
  if (first === undefined || second === undefined || first.length !== second.length) return false;
  const folder = dirName(source);
  const isBelow = (path: string) => folder === '' || pathKey(path).startsWith(`${pathKey(folder)}/`);
  return isBelow(first) === isBelow(second);
}

/** Drops `.md` when the old target had none. */
function withoutMd(path: string, written: string): string {
  return /\.md$/i.test(written) ? path : path.replace(/\.md$/i, '');
}

/**
 * Display text that equals the old name (or the old target as written) is renamed; any other stays. Display
 * text that equals an unchanged name is kept when only the path changes.
 */
function followedDisplay(link: Link, old: string, target: string, text: string): string | undefined {
  const { display } = link;
  if (display === undefined || link.syntax === 'reference') return undefined;
  const shown = display.trim();
  if (shown !== display) return undefined;
  if (shown === stem(old)) return stem(old) === stem(target) ? undefined : stem(target);
  if (shown === link.target || shown === old.replace(/\.md$/i, '') || shown === old) {
    return kindOf(link) === 'wiki' ? text : withoutMd(target, shown);
  }
  return undefined;
}

function add(splices: Map<number, Splice>, span: Span, insert: string): void {
  // Two uses of one reference definition share its span.
  splices.set(span.start, { start: span.start, end: span.end, insert });
}
