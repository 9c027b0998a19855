import { parseNote } from '../../src/notes/parse.ts';

/**
 * A second reading of a vault's links, for judging moves. It takes from the program only where a
 * link's parts stand in a note (which the parser's own tests hold to other parsers); what a link
 * means is worked out here, from the written rules and without the program's resolver: a plain walk
 * over all paths, no tables, no keys shared with the code under test.
 */
export interface SeenLink {
  readonly note: string;
  readonly written: string;
  /** The file it opens; undefined when it opens none. */
  readonly opens: string | undefined;
}

export interface SeenVault {
  readonly links: readonly SeenLink[];
  /** Note → its text with link targets and display texts cut out. */
  readonly rest: ReadonlyMap<string, string>;
}

const fold = (path: string): string => path.normalize('NFC').toLowerCase();

/** Reads every link of an Obsidian vault. */
export function seeVault(files: ReadonlyMap<string, string>): SeenVault {
  const opener = new Opener([...files.keys()]);
  const links: SeenLink[] = [];
  const rest = new Map<string, string>();
  for (const [path, text] of files) {
    if (/\.md$/i.test(path)) rest.set(path, seeNote(path, text, opener, links));
    else if (/\.canvas$/i.test(path)) rest.set(path, seeCanvas(path, text, opener, links));
    else rest.set(path, text);
  }
  return { links, rest };
}

/**
 * What a move broke, in words; empty when nothing.
 * @param placeOf where a file of the first reading is in the second
 * @param warned notes of which the program said that a link could not follow
 */
export function damageBetween(
  before: SeenVault,
  after: SeenVault,
  placeOf: (path: string) => string,
  warned: ReadonlySet<string> = new Set(),
): readonly string[] {
  const damage: string[] = [];
  const expectedFiles = new Set([...before.rest.keys()].map(placeOf));
  for (const path of after.rest.keys()) if (!expectedFiles.has(path)) damage.push(`${path} is new`);
  const now = byNote(after.links);
  const then = byNote(before.links);
  for (const [old, rest] of before.rest) {
    const path = placeOf(old);
    const restNow = after.rest.get(path);
    if (restNow === undefined) {
      damage.push(`${path} (was ${old}) is gone`);
      continue;
    }
    if (restNow !== rest) damage.push(`${path}: bytes outside links changed`);
    const linksNow = now.get(path) ?? [];
    const linksThen = then.get(old) ?? [];
    if (linksNow.length !== linksThen.length) {
      damage.push(`${path}: had ${linksThen.length} links, has ${linksNow.length}`);
      continue;
    }
    for (const [at, link] of linksThen.entries()) {
      const link2 = linksNow[at];
      if (link2 === undefined || warned.has(path)) continue;
      if (link.opens === undefined) {
        if (link2.written !== link.written)
          damage.push(`${path}: the dead link ${link.written} became ${link2.written}`);
      } else if (link2.opens !== placeOf(link.opens)) {
        damage.push(
          `${path}: ${link.written} opened ${link.opens}; ${link2.written} opens ${link2.opens}, not ${placeOf(link.opens)}`,
        );
      }
    }
  }
  return damage;
}

function seeNote(path: string, text: string, opener: Opener, links: SeenLink[]): string {
  const cuts: [number, number][] = [];
  for (const link of parseNote(text, { dialect: 'obsidian' }).links) {
    cuts.push([link.targetSpan.start, link.targetSpan.end]);
    if (link.displaySpan) cuts.push([link.displaySpan.start, link.displaySpan.end]);
    links.push({ note: path, written: link.target, opens: opener.open(path, link.target) });
  }
  return without(text, cuts);
}

interface CanvasNode {
  type?: string;
  file?: string;
  text?: string;
}

function seeCanvas(path: string, text: string, opener: Opener, links: SeenLink[]): string {
  let canvas: { nodes?: CanvasNode[] };
  try {
    canvas = JSON.parse(text);
  } catch {
    return text;
  }
  for (const node of canvas.nodes ?? []) {
    if (node.type === 'file' && typeof node.file === 'string') {
      links.push({ note: path, written: node.file, opens: opener.exact(node.file) });
      node.file = '';
    } else if (node.type === 'text' && typeof node.text === 'string') {
      node.text = seeNote(path, node.text, opener, links);
    }
  }
  return JSON.stringify(canvas);
}

function without(text: string, cuts: [number, number][]): string {
  let result = '';
  let at = 0;
  for (const [start, end] of cuts.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    // A picture inside the text of a link lies within a cut that was made already.
    if (end <= at && start < at) continue;
    result += `${text.slice(at, Math.max(at, start))}\u0001`;
    at = Math.max(at, end);
  }
  return result + text.slice(at);
}

/** Obsidian's resolution as published: the literal name, then with `.md`; the exact path, then any path that ends so. */
class Opener {
  readonly #paths: readonly { path: string; folded: string }[];
  readonly #exact: ReadonlyMap<string, readonly string[]>;
  readonly #last: ReadonlyMap<string, readonly { path: string; folded: string }[]>;

  constructor(paths: readonly string[]) {
    this.#paths = paths.map((path) => ({ path, folded: fold(path) }));
    const exact = new Map<string, string[]>();
    const last = new Map<string, { path: string; folded: string }[]>();
    for (const one of this.#paths) {
      exact.set(one.folded, [...(exact.get(one.folded) ?? []), one.path]);
      const name = one.folded.split('/').at(-1) ?? '';
      last.set(name, [...(last.get(name) ?? []), one]);
    }
    this.#exact = exact;
    this.#last = last;
  }

  exact(path: string): string | undefined {
    const same = this.#exact.get(fold(path)) ?? [];
    return same.find((one) => one.normalize('NFC') === path.normalize('NFC')) ?? [...same].sort()[0];
  }

  open(source: string, target: string): string | undefined {
    if (target === '') return source;
    return this.#one(source, target) ?? this.#one(source, `${target}.md`);
  }

  #one(source: string, target: string): string | undefined {
    let wanted = target;
    const rooted = target.startsWith('/');
    if (rooted) wanted = target.slice(1);
    else if (target.startsWith('./') || target.startsWith('../')) {
      const steps = source.split('/').slice(0, -1);
      for (const step of target.split('/')) {
        if (step === '.' || step === '') continue;
        if (step !== '..') steps.push(step);
        else if (steps.pop() === undefined) return undefined;
      }
      wanted = steps.join('/');
    }
    if (wanted === '') return undefined;
    const exact = this.exact(wanted);
    if (exact !== undefined || rooted) return exact;
    const ending = `/${fold(wanted)}`;
    const folder = fold(source.split('/').slice(0, -1).join('/'));
    const found = (this.#last.get(fold(wanted).split('/').at(-1) ?? '') ?? []).filter(({ folded }) =>
      folded.endsWith(ending),
    );
    const below = found.filter(({ folded }) => folder === '' || folded.startsWith(`${folder}/`));
    const group = below.length > 0 ? below : found;
    group.sort((a, b) => a.folded.length - b.folded.length || (a.folded < b.folded ? -1 : 1));
    const [first] = group;
    const twins = group.filter(({ folded }) => folded === first?.folded);
    const spelled = twins.find(({ path }) => path.normalize('NFC').endsWith(wanted.normalize('NFC')));
    return (spelled ?? twins.sort((a, b) => (a.path < b.path ? -1 : 1))[0])?.path;
  }
}

function byNote(links: readonly SeenLink[]): ReadonlyMap<string, readonly SeenLink[]> {
  const notes = new Map<string, SeenLink[]>();
  for (const link of links) {
    const held = notes.get(link.note);
    if (held) held.push(link);
    else notes.set(link.note, [link]);
  }
  return notes;
}
