import { logseqPageName } from '../dialects/logseq-page.ts';
import type { Dialect } from '../model.ts';
import { baseName, dirName, nameKey, pathKey } from '../path.ts';
import { type FileLookup, resolveLink } from './resolve.ts';

export interface LinkTextOptions {
  /** Path of the note that contains the link. */
  readonly source: string;
  /** Path of the file that the link must open. */
  readonly target: string;
  readonly syntax: 'wiki' | 'markdown';
  /** Obsidian's `newLinkFormat`. */
  readonly format: 'shortest' | 'relative' | 'absolute';
  readonly dialect: Dialect;
  /** The files among which the link will be resolved: for a move those after it. */
  readonly files: FileLookup;
  /** For Markdown links: whether to write `<a b.md>` instead of `a%20b.md`. */
  readonly angle?: boolean;
}

/**
 * The path part of a link that opens `target`, without subpath, display text or brackets. It has the form that
 * the format asks for if this resolves unambiguously to the target, otherwise a longer form.
 *
 * @returns undefined when no form works, e.g. for a wikilink to a file with `#` in its name
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
 * A heading's text as a link fragment, without the leading `#`. Characters that would end or change the link
 * become spaces, including brackets without a partner in the text. For a Markdown link the result is
 * percent-encoded.
 */
export function headingFragment(text: string, syntax: 'wiki' | 'markdown' = 'wiki'): string {
  const plain = text
    // A link in the heading would also be parsed inside the link.
    .replace(/\]\(([^()]*)\)/g, ' $1')
    .replace(/%%|\[\[|\]\]|[:#|^\\\r\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (syntax === 'markdown') return encodeDestination(plain, false);
  const isApart = !/^\[|\]$/.test(plain) && !/[[\]]/.test(plain.replace(/\[[^[\]]*\]/g, ''));
  return isApart ? plain : plain.replace(/[[\]]/g, ' ').replace(/\s+/g, ' ').trim();
}

/**
 * Percent-encodes a path or fragment as a Markdown link destination. Only characters are encoded that would end
 * the destination, start a subpath, a query, a scheme or math, or be decoded differently.
 *
 * @param angle whether the destination is in angle brackets
 */
export function encodeDestination(text: string, angle: boolean): string {
  const special = angle
    ? /[<>%#?&$\\`|[\]:\u0000-\u001f\u007f]/g
    : /[<>%#?&$\\`|[\]:()\s\u0000-\u001f\u007f]/g;
  return text.replace(special, (char) =>
    encodeURIComponent(char).replace(/[()]/, (one) => (one === '(' ? '%28' : '%29')),
  );
}

/** The possible path parts of a link by dialect, preferred first. */
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

/** The path relative to the source's folder: `b/c.md` from `a/s.md` is `../b/c.md`. */
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

/** Whether a path can be in a wikilink: nothing in it ends the path or the link, or is trimmed. */
function writableInWiki(path: string): boolean {
  return path.trim() === path && !/[#|\r\n]|\[\[|\]\]|%%|^\[|\]$/.test(path);
}
