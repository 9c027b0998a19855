/**
 * A vault counted with simple means, to hold the server's answers against: regular expressions over text
 * whose code, comments and formulas are blanked out, and a plain walk over all paths. Nothing here comes
 * from the program.
 */
export interface PlainCount {
  readonly notes: readonly string[];
  readonly files: readonly string[];
  /** Note → the targets of its links, in order, without subpath; '' is the note itself. */
  readonly links: ReadonlyMap<string, readonly string[]>;
  /** Note → the tags it carries, folded. */
  readonly tags: ReadonlyMap<string, ReadonlySet<string>>;
  /** Where a target leads from a note. */
  open(source: string, target: string): string | undefined;
}

const fold = (text: string): string => text.normalize('NFC').toLowerCase();

/** @param texts every file outside dot folders by path; what is no Markdown may be given as '' */
export function countPlainly(texts: ReadonlyMap<string, string>): PlainCount {
  const files = [...texts.keys()].sort();
  const notes = files.filter((path) => /\.md$/i.test(path));
  const links = new Map<string, readonly string[]>();
  const tags = new Map<string, ReadonlySet<string>>();
  for (const path of notes) {
    const { front, body } = parted(texts.get(path) ?? '');
    const masked = masks(body);
    links.set(path, [...frontLinks(front), ...bodyLinks(masked)]);
    tags.set(path, new Set([...frontTags(front), ...bodyTags(masked)].map(fold)));
  }
  return { notes, files, links, tags, open: opener(files) };
}

function parted(text: string): { front: string; body: string } {
  const found = /^\ufeff?---[ \t]*\r?\n([\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text);
  return found ? { front: found[1] ?? '', body: text.slice(found[0].length) } : { front: '', body: text };
}

/** From a line that starts with such a tag to the next blank line there is no Markdown. */
const HTML_BLOCK =
  /^ {0,3}<\/?(?:details|div|dd|dl|dt|form|h[1-6]|hr|li|ol|p|summary|table|tbody|td|th|thead|tr|ul)(?=[\s/>])[^\n]*(?:\n[ \t]*\S[^\n]*)*/gim;

/** Code, comments, HTML and formulas as blanks of the same length. */
export function masks(body: string): string {
  const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
  return body
    .replace(
      /^[ \t>]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)??[ \t>]*\1[`~]*[ \t]*$|^[ \t>]*(`{3,}|~{3,})[\s\S]*$/gm,
      blank,
    )
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(HTML_BLOCK, blank)
    .replace(/%%[\s\S]*?%%/g, blank)
    .replace(/(?<![\\`])(`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])*?(?<!`)\1(?!`)/g, blank)
    .replace(/\$\$[\s\S]*?\$\$|(?<![\\$])\$(?![\s$])[^$\n]*?(?<![\s\\])\$(?!\d)/g, blank);
}

function frontLinks(front: string): string[] {
  return [...front.matchAll(/["'][^"'\n]*?\[\[([^\]\n]+)\]\][^"'\n]*?["']/g)].map(([, inner]) =>
    target(inner ?? ''),
  );
}

function bodyLinks(body: string): string[] {
  const found: { at: number; target: string }[] = [];
  for (const match of body.matchAll(/\[\[([^[\]\n]+?)\]\]/g))
    found.push({ at: match.index, target: target(match[1] ?? '') });
  for (const match of body.matchAll(
    /\]\((?:<([^>\n]*)>|([^()\s]*(?:\([^()\s]*\)[^()\s]*)*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g,
  ))
    add(found, match.index, match[1] ?? match[2] ?? '');
  const definitions = new Map<string, string>();
  for (const match of body.matchAll(/^ {0,3}\[((?!\^)[^\]\n]+)\]:\s*(?:<([^>\n]*)>|(\S+))/gm)) {
    const label = fold(match[1] ?? '').replace(/\s+/g, ' ');
    if (!definitions.has(label)) definitions.set(label, match[2] ?? match[3] ?? '');
  }
  if (definitions.size > 0) {
    const rest = body.replace(/^ {0,3}\[[^\]\n]+\]:.*$/gm, (line) => ' '.repeat(line.length));
    for (const match of rest.matchAll(
      /(?<!\\)\[((?:[^[\]]|\\.|\[[^[\]]*\])+)\](?:\[([^[\]]*)\])?(?![([])/g,
    )) {
      const label = fold(match[2] || match[1] || '').replace(/\s+/g, ' ');
      const destination = definitions.get(label);
      if (destination !== undefined && !rest.slice(0, match.index).endsWith(']'))
        add(found, match.index, destination);
    }
  }
  return found.sort((a, b) => a.at - b.at).map((link) => link.target);
}

/** Of a Markdown destination only one within the vault counts. */
function add(found: { at: number; target: string }[], at: number, destination: string): void {
  if (destination === '' || /^[a-z][a-z0-9+.-]+:|^\/\//i.test(destination)) return;
  const path = destination.replace(/#.*$/s, '');
  found.push({ at, target: decoded(path) });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function target(inner: string): string {
  return (inner.split(/\\?\|/)[0] ?? '').replace(/#.*$/s, '').trim();
}

function frontTags(front: string): string[] {
  const found: string[] = [];
  for (const match of front.matchAll(/^(?:tags?):[ \t]*(.*(?:\r?\n[ \t]*- .*|\r?\n[ \t]+.*)*)/gim)) {
    const value = (match[1] ?? '').replace(/[ \t]#.*$/gm, (comment) =>
      /^[ \t]#[^\s]/.test(comment) ? comment : '',
    );
    for (const item of value
      .replace(/^\s*-\s+/gm, ',')
      .replace(/[[\]"']/g, ',')
      .split(/[,\s]+/))
      if (item !== '') found.push(item.replace(/^#/, ''));
  }
  return found.filter((tag) => tag !== 'null' && tag !== '~' && isTag(tag));
}

function bodyTags(body: string): string[] {
  const text = body.replace(
    /^ {0,3}\[[^\]\n]+\]:.*$|\]\([^)\n]*\)|\[\[[^\]\n]*\]\]|<[^>\n]*>|https?:\/\/\S+/gm,
    (link) => ' '.repeat(link.length),
  );
  return [...text.matchAll(/(?<=^|\s)#((?:[\p{L}\p{M}\p{N}\p{Extended_Pictographic}_/-]|\u200d|\ufe0f)+)/gmu)]
    .map(([, name]) => (name ?? '').replace(/\/+$/, ''))
    .filter(isTag);
}

function isTag(tag: string): boolean {
  return tag !== '' && !/^\d+$/.test(tag);
}

/** The literal name, then with `.md`; the exact path, then any path that ends so, the folder's own and the shorter first. */
function opener(files: readonly string[]): PlainCount['open'] {
  const exact = new Map<string, string>();
  const named = new Map<string, string[]>();
  for (const path of files) {
    if (!exact.has(fold(path))) exact.set(fold(path), path);
    const name = fold(path.split('/').at(-1) ?? '');
    named.set(name, [...(named.get(name) ?? []), path]);
  }
  const one = (source: string, wanted: string): string | undefined => {
    const steps = source.split('/').slice(0, -1);
    const folder = fold(steps.join('/'));
    let path = wanted.replace(/^\//, '');
    if (/^\.{1,2}\//.test(wanted)) {
      for (const step of wanted.split('/')) {
        if (step === '..') {
          if (steps.pop() === undefined) return undefined;
        } else if (step !== '.' && step !== '') steps.push(step);
      }
      path = steps.join('/');
    }
    const found = exact.get(fold(path));
    if (found !== undefined || wanted.startsWith('/')) return found;
    const same = (named.get(fold(path.split('/').at(-1) ?? '')) ?? []).filter((other) =>
      fold(other).endsWith(`/${fold(path)}`),
    );
    const near = same.filter((other) => folder === '' || fold(other).startsWith(`${folder}/`));
    return [...(near.length > 0 ? near : same)].sort(
      (a, b) => fold(a).length - fold(b).length || (fold(a) < fold(b) ? -1 : 1),
    )[0];
  };
  return (source, wanted) => (wanted === '' ? source : (one(source, wanted) ?? one(source, `${wanted}.md`)));
}
