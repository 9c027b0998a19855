import { logseqFileNames } from '../dialects/logseq-page.ts';
import type { Dialect, Link } from '../model.ts';
import { baseName, dirName, joinRelative, nameKey, pathKey } from '../path.ts';
import { linkedId } from './id-links.ts';

/** The files a link may lead to: all files the caller may see, notes and attachments alike. */
export interface FileLookup {
  /** Paths whose last segment has this key (see `nameKey`), in any order. */
  byName(nameKey: string): readonly string[];
  /** Logseq: pages with this `title::` or `alias::`, by `pathKey` of the name. */
  byPageName?(pageKey: string): readonly string[];
  /** Files that a link by this id may lead to. */
  byId?(id: string): readonly string[];
}

/** The result of resolving a link. */
export interface Resolution {
  /** The file the link opens, or undefined for a broken link. */
  readonly path: string | undefined;
  /**
   * All equally good matches, the opened one first, when there is more than one; otherwise empty. Of several
   * with one id none is opened.
   */
  readonly ambiguous: readonly string[];
}

const NOWHERE: Resolution = { path: undefined, ambiguous: [] };

/**
 * The file a link opens, by the rules of the vault's dialect.
 *
 * @param source path of the note that contains the link
 * @param target the link's path part: decoded, without subpath; empty means the note itself
 */
export function resolveLink(
  source: string,
  target: string,
  syntax: Link['syntax'],
  files: FileLookup,
  dialect: Dialect,
): Resolution {
  if (syntax === 'block-ref') return NOWHERE;
  if (target === '') return { path: source, ambiguous: [] };
  const id = linkedId(target, syntax);
  if (id !== undefined) return onlyOne(files.byId?.(id) ?? []);
  const inText = syntax === 'markdown' || syntax === 'reference';
  return RESOLVERS[dialect](source, target, inText, files);
}

/** An id identifies one file: when a copy declares the same id, neither is preferred. */
function onlyOne(holders: readonly string[]): Resolution {
  return holders.length > 1 ? { path: undefined, ambiguous: holders } : { path: holders[0], ambiguous: [] };
}

type Resolver = (source: string, target: string, inText: boolean, files: FileLookup) => Resolution;

const RESOLVERS: Readonly<Record<Dialect, Resolver>> = {
  obsidian: (source, target, _, files) => resolveObsidian(source, target, files),
  silverbullet: resolveSilverBullet,
  logseq: (source, target, inText, files) =>
    inText ? resolveObsidian(source, target, files) : resolveLogseqPage(source, target, files),
};

/**
 * Obsidian: the literal name takes precedence over name + `.md`; a path that is exact from the root over any
 * other file of that name; then every path that ends with the target, below the source's folder first,
 * shorter first.
 */
function resolveObsidian(source: string, target: string, files: FileLookup): Resolution {
  const literal = resolveSuffix(source, target, files);
  return literal.path === undefined ? resolveSuffix(source, `${target}.md`, files) : literal;
}

function resolveSuffix(source: string, target: string, files: FileLookup): Resolution {
  const namesakes = files.byName(nameKey(target));
  if (namesakes.length === 0) return NOWHERE;
  const rooted = target.startsWith('/');
  const path = /^\.{1,2}\//.test(target) ? joinRelative(source, target) : target.slice(rooted ? 1 : 0);
  if (path === undefined) return NOWHERE;
  const key = pathKey(path);
  const exact = namesakes.filter((one) => pathKey(one) === key);
  if (exact.length > 0) return firstOf(exact, path, '');
  if (rooted) return NOWHERE;
  const matches = namesakes.filter((one) => pathKey(one).endsWith(`/${key}`));
  return firstOf(matches, path, dirName(source));
}

/** Orders equal matches: below `folder`, shorter, alphabetical; spellings of one key by the written one. */
function firstOf(matches: readonly string[], written: string, folder: string): Resolution {
  if (matches.length === 0) return NOWHERE;
  if (matches.length === 1) return { path: matches[0], ambiguous: [] };
  const below = folder === '' ? '' : `${pathKey(folder)}/`;
  const ranked = matches.map((path) => ({
    path,
    key: pathKey(path),
    outside: !pathKey(path).startsWith(below),
    spelling: endsAs(path, written) ? 0 : 1,
  }));
  ranked.sort(
    (a, b) =>
      Number(a.outside) - Number(b.outside) ||
      a.key.length - b.key.length ||
      compare(a.key, b.key) ||
      a.spelling - b.spelling ||
      compare(a.path, b.path),
  );
  const [first, second] = ranked;
  // Two spellings of one path (`foo.md`, `Foo.md`): an exact match is unambiguous.
  const certain =
    first?.spelling === 0 && second?.spelling === 1 && ranked.every((one) => one.key === first.key);
  return { path: first?.path, ambiguous: certain ? [] : ranked.map((one) => one.path) };
}

function endsAs(path: string, written: string): boolean {
  return path.normalize('NFC').endsWith(written.normalize('NFC'));
}

/**
 * SilverBullet: a wikilink names a page from the space root, a Markdown link a path relative to the page, or
 * from the root with a leading `/`. Only the exact, case-sensitive path matches.
 */
function resolveSilverBullet(source: string, target: string, inText: boolean, files: FileLookup): Resolution {
  let path: string | undefined;
  if (inText) {
    path = target.startsWith('/') ? target.slice(1) : joinRelative(source, target);
  } else {
    // `[[^Meta]]` is an ordinary page; `@12` and `$anchor` after a page name are positions in the page.
    const page = target.replace(/^\^/, '').replace(/[@$].*$/s, '');
    path = page === '' && target.startsWith('@') ? source : page;
  }
  if (path === undefined || path === '') return NOWHERE;
  for (const wanted of [path, `${path}.md`]) {
    const spelled = wanted.normalize('NFC');
    const found = files.byName(nameKey(wanted)).find((one) => one.normalize('NFC') === spelled);
    if (found !== undefined) return { path: found, ambiguous: [] };
  }
  return NOWHERE;
}

/**
 * Logseq: a page name resolves to the file that stores it (`a/b` → `a___b.md`), in `pages` and `journals`
 * before other folders, or to a page with that `title::` or `alias::`. Case is ignored.
 */
function resolveLogseqPage(source: string, target: string, files: FileLookup): Resolution {
  for (const name of logseqFileNames(target)) {
    const found = logseqOrder(files.byName(nameKey(`${name}.md`)));
    if (found.length > 0) return { path: found[0], ambiguous: found.length > 1 ? found : [] };
  }
  const named = logseqOrder(files.byPageName?.(pathKey(target)) ?? []);
  if (named.length > 0) return { path: named[0], ambiguous: named.length > 1 ? named : [] };
  // The target may be a path: of an asset, or in a graph with folders.
  return baseName(target) === target ? NOWHERE : resolveObsidian(source, target, files);
}

function logseqOrder(paths: readonly string[]): readonly string[] {
  const rank = (path: string): number => {
    const folder = path.slice(0, path.indexOf('/') + 1).toLowerCase();
    return folder === 'pages/' ? 0 : folder === 'journals/' ? 1 : 2;
  };
  return [...paths].sort((a, b) => rank(a) - rank(b) || a.length - b.length || compare(a, b));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
