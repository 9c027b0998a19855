import { logseqPageName } from '../dialects/logseq-page.ts';
import type { Dialect } from '../model.ts';
import { baseName, dirName, nameKey, pathKey } from '../path.ts';
import { type FileLookup, resolveLink } from './resolve.ts';

export interface LinkTextOptions {
  /** Path of the note the link stands in. */
  readonly source: string;
  /** Path of the file the link shall open. */
  readonly target: string;
  readonly syntax: 'wiki' | 'markdown';
  /** Obsidian's `newLinkFormat`. */
  readonly format: 'shortest' | 'relative' | 'absolute';
  readonly dialect: Dialect;
  /** The files as they are when the link is read: after the move, for a move. */
  readonly files: FileLookup;
  /** Markdown only: write `<a b.md>` inside instead of `a%20b.md`. */
  readonly angle?: boolean;
}

/**
 * The path part to write so that the link opens `target`, without subpath, display text or brackets.
 * The spelling the format asks for is taken when it resolves to the target and to nothing else; otherwise
 * a longer one that does.
 *
 * @returns undefined when no spelling works, e.g. a wikilink to a file with `#` in its name
 */
export function linkText(options: LinkTextOptions): string | undefined {
  const { source, target, syntax, dialect, files } = options;
  for (const candidate of CANDIDATES[options.dialect](options)) {
    if (syntax === 'wiki' && !writableInWiki(candidate)) continue;
    const { path, ambiguous } = resolveLink(source, candidate, syntax, files, dialect);
    if (path !== target || ambiguous.length > 0) continue;
    return syntax === 'wiki' ? candidate : encodeDestination(candidate, options.angle === true);
  }
  return undefined;
}

/**
 * A heading's text as a link fragment, without the leading `#`: what would end or change a link becomes
 * a space, single brackets too unless they pair within the text. In a Markdown link the result is percent-encoded.
 */
export function headingFragment(text: string, syntax: 'wiki' | 'markdown' = 'wiki'): string {
  const plain = text
    // A link in the heading would be one in the link, too.
    .replace(/\]\(([^()]*)\)/g, ' $1')
    .replace(/%%|\[\[|\]\]|[:#|^\\\r\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (syntax === 'markdown') return encodeDestination(plain, false);
  const isApart = !/^\[|\]$/.test(plain) && !/[[\]]/.test(plain.replace(/\[[^[\]]*\]/g, ''));
  return isApart ? plain : plain.replace(/[[\]]/g, ' ').replace(/\s+/g, ' ').trim();
}

/**
 * A path or fragment as a Markdown link destination. Encoded is what would end the destination, start a
 * subpath, a query, a scheme or a formula, or be decoded into something else; other letters stay readable.
 */
export function encodeDestination(text: string, angle: boolean): string {
  const special = angle
    ? /[<>%#?&$\\`|[\]:\u0000-\u001f\u007f]/g
    : /[<>%#?&$\\`|[\]:()\s\u0000-\u001f\u007f]/g;
  return text.replace(special, (char) =>
    encodeURIComponent(char).replace(/[()]/, (one) => (one === '(' ? '%28' : '%29')),
  );
}

/** Ways to write the link, the preferred one first, for each program. */
const CANDIDATES: Readonly<Record<Dialect, (options: LinkTextOptions) => readonly string[]>> = {
  obsidian: obsidianCandidates,
  silverbullet: ({ source, target, syntax, format }) => {
    if (syntax === 'wiki') return [withoutMd(target), target];
    return format === 'relative' ? [relative(source, target), `/${target}`] : [`/${target}`];
  },
  logseq: ({ source, target, syntax }) =>
    syntax === 'wiki' ? [logseqPageName(target), withoutMd(target)] : [relative(source, target)],
};

function obsidianCandidates(options: LinkTextOptions): readonly string[] {
  const { source, target, syntax } = options;
  const full = syntax === 'wiki' ? withoutMd(target) : target;
  const longer = [full, target, `/${full}`, `/${target}`];
  if (options.format === 'absolute') return longer;
  if (options.format === 'relative') {
    const written = relative(source, full);
    return [
      written,
      written.startsWith('../') ? written : `./${written}`,
      relative(source, target),
      ...longer,
    ];
  }
  const unique = options.files.byName(nameKey(target)).every((one) => one === target);
  return unique ? [baseName(full), baseName(target), ...longer] : longer;
}

function withoutMd(path: string): string {
  return path.replace(/\.md$/i, '');
}

/** The path from the source's folder: `b/c.md` from `a/s.md` is `../b/c.md`. */
function relative(source: string, target: string): string {
  const folder = dirName(source);
  const from = folder === '' ? [] : folder.split('/');
  const to = target.split('/');
  let common = 0;
  while (
    common < from.length &&
    common < to.length - 1 &&
    pathKey(from[common] ?? '') === pathKey(to[common] ?? '')
  ) {
    common += 1;
  }
  return [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/');
}

/** What a wikilink's path part cannot hold: it would end the path, the link, or be trimmed. */
function writableInWiki(path: string): boolean {
  return path.trim() === path && !/[#|\r\n]|\[\[|\]\]|%%|^\[|\]$/.test(path);
}
