import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { countPlainly, type PlainCount } from './plain-count.ts';

const LECTERN = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));
const INFO = { name: 'read-tools', version: '1' };

// biome-ignore lint/suspicious/noExplicitAny: the answers of twelve tools, looked into by tests
export type Structured = any;

interface SomeClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

/** The real SDK clients, by the name of their era. */
export const CLIENTS: readonly [
  string,
  () => SomeClient,
  typeof StdioClientTransport | typeof StdioClientTransportV1,
][] = [
  [
    'v2, pinned to 2026-07-28',
    () => new Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    StdioClientTransport,
  ],
  ['v2, legacy', () => new Client(INFO, { versionNegotiation: { mode: 'legacy' } }), StdioClientTransport],
  ['v1', () => new ClientV1(INFO), StdioClientTransportV1],
];

/** A vault served to one client. */
export class Reading {
  readonly #client: SomeClient;

  private constructor(client: SomeClient) {
    this.#client = client;
  }

  /** Starts the built binary on a vault, read-only, and waits until its index is ready. */
  static async open(client: (typeof CLIENTS)[number], vault: string, state: string): Promise<Reading> {
    const [, create, Transport] = client;
    const reading = new Reading(create());
    const args = [LECTERN, 'mcp', 'serve', '--stdio', '--read-only', '--vault', vault, '--state', state];
    await reading.#client.connect(new Transport({ command: process.execPath, args }) as never);
    while ((await reading.ask('vault_status')).index !== 'ready')
      await new Promise((resolve) => setTimeout(resolve, 100));
    return reading;
  }

  /** @throws Error with the answer's text when the tool failed */
  async ask(name: string, args: Record<string, unknown> = {}): Promise<Structured> {
    const answer = (await this.#client.callTool({ name, arguments: args })) as {
      isError?: boolean;
      content: { text: string }[];
      structuredContent: Structured;
    };
    if (answer.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${answer.content[0]?.text}`);
    return answer.structuredContent;
  }

  /** Every row of a list, page by page, and whether the totals of all pages agree with their number. */
  async all(name: string, rows: string, args: Record<string, unknown> = {}): Promise<Structured[]> {
    const found: Structured[] = [];
    const limit = name === 'vault_search' ? 50 : name === 'tag_list' ? 500 : 200;
    let cursor: string | null = null;
    do {
      const page: Structured = await this.ask(name, { limit, ...args, ...(cursor !== null && { cursor }) });
      found.push(...page[rows]);
      cursor = page.next_cursor;
      if (cursor === null ? page.total !== found.length : found.length > page.total)
        throw new Error(`${name}: a total of ${page.total}, but ${found.length} rows`);
    } while (cursor !== null);
    return found;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Every file outside dot folders, with the text of notes. */
export function textsBelow(root: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = relative(root, join(entry.parentPath ?? entry.path, entry.name));
    if (path.split('/').some((segment) => segment.startsWith('.'))) continue;
    texts.set(path, /\.md$/i.test(path) ? readFileSync(join(root, path), 'utf8') : '');
  }
  return texts;
}

const fold = (text: string): string => text.normalize('NFC').toLowerCase();

export interface Comparison {
  readonly looked: number;
  /** In words, one for each place where the two counts differ. */
  readonly differences: readonly string[];
}

function compared(looked: number, differences: readonly string[]): Comparison {
  return { looked, differences };
}

/** Links of every `step`th note, each with what it opens. */
export async function compareLinks(reading: Reading, plain: PlainCount, step: number): Promise<Comparison> {
  const differences: string[] = [];
  let looked = 0;
  for (let at = 0; at < plain.notes.length; at += step) {
    const path = plain.notes[at] ?? '';
    const served = await reading.all('link_forward', 'links', { path });
    const got = served.map((link) => `${link.written} > ${link.target ?? ''}`).sort();
    const want = (plain.links.get(path) ?? []).map((to) => `${to} > ${plain.open(path, to) ?? ''}`).sort();
    looked++;
    if (JSON.stringify(got) === JSON.stringify(want)) continue;
    const only = (some: string[], others: string[]) =>
      some.filter((one) => !others.includes(one)).slice(0, 3);
    differences.push(`${path}: served ${only(got, want).join(', ')}; counted ${only(want, got).join(', ')}`);
  }
  return compared(looked, differences);
}

/** Who links to the `count` files that most links lead to. */
export async function compareBacklinks(
  reading: Reading,
  plain: PlainCount,
  count: number,
): Promise<Comparison> {
  const into = new Map<string, string[]>();
  for (const [note, targets] of plain.links) {
    for (const target of targets) {
      const opened = target === '' ? undefined : plain.open(note, target);
      if (opened !== undefined) into.set(opened, [...(into.get(opened) ?? []), note]);
    }
  }
  const top = [...into].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1)).slice(0, count);
  const differences: string[] = [];
  for (const [path, sources] of top) {
    const rows = await reading.all('link_backlinks', 'links', { path });
    // Canvases link too; only notes were counted.
    const got = rows.map((link) => link.source).filter((source) => /\.md$/i.test(source));
    if (JSON.stringify(got.sort()) !== JSON.stringify(sources.sort()))
      differences.push(`${path}: served ${got.length}, counted ${sources.length}`);
  }
  return compared(top.length, differences);
}

/** Every tag with the number of notes that carry exactly it, and the notes of the most used ones. */
export async function compareTags(reading: Reading, plain: PlainCount): Promise<Comparison> {
  const counted = new Map<string, number>();
  for (const tags of plain.tags.values())
    for (const tag of tags) counted.set(tag, (counted.get(tag) ?? 0) + 1);
  const rows = await reading.all('tag_list', 'tags');
  const served = new Map<string, number>(rows.map((row) => [fold(row.tag), row.notes]));
  const names = [...new Set([...counted.keys(), ...served.keys()])];
  const differences = names
    .filter((tag) => counted.get(tag) !== served.get(tag))
    .map((tag) => `#${tag}: served ${served.get(tag)}, counted ${counted.get(tag)}`);
  for (const row of rows.slice(0, 3)) {
    const notes = await reading.all('tag_notes', 'notes', { tag: row.tag });
    if (notes.length !== row.notes_nested) differences.push(`#${row.tag}: ${notes.length} notes listed`);
  }
  return compared(names.length, differences);
}

/** Targets that lead nowhere, with how often they are written in notes. */
export async function compareUnresolved(reading: Reading, plain: PlainCount): Promise<Comparison> {
  const counted = new Map<string, number>();
  for (const [note, targets] of plain.links)
    for (const target of targets)
      if (plain.open(note, target) === undefined)
        counted.set(fold(target), (counted.get(fold(target)) ?? 0) + 1);
  const rows = await reading.all('link_unresolved', 'unresolved');
  const served = new Map<string, number>(rows.map((row) => [fold(row.target), row.count]));
  const names = [...new Set([...counted.keys(), ...served.keys()])];
  return compared(
    names.length,
    names
      .filter((name) => counted.get(name) !== served.get(name))
      .map((name) => `${name}: served ${served.get(name)}, counted ${counted.get(name)}`),
  );
}

/** Notes without a link from or to another file. */
export async function compareOrphans(reading: Reading, plain: PlainCount): Promise<Comparison> {
  const linked = new Set<string>();
  for (const [note, targets] of plain.links) {
    for (const target of targets) {
      const opened = plain.open(note, target);
      if (opened !== undefined && opened !== note) linked.add(note).add(opened);
    }
  }
  const served = new Set((await reading.all('link_orphans', 'notes')).map((note) => note.path as string));
  const differences = plain.notes.filter((path) => linked.has(path) === served.has(path));
  return compared(plain.notes.length, differences);
}

/**
 * Words that few notes hold, and single Chinese characters. A note that has the word must be found; what is
 * found beside it must hold a form of the word (same beginning), and for a character the character itself.
 */
export async function compareSearch(
  reading: Reading,
  texts: ReadonlyMap<string, string>,
  words: number,
): Promise<Comparison> {
  const notes = [...texts]
    .filter(([path]) => /\.md$/i.test(path))
    .map(([path, text]) => ({ path, text: fold(`${path}\n${text}`) }));
  const seen = new Map<string, Set<string>>();
  for (const { path, text } of notes) {
    for (const [word] of text.matchAll(
      /(?<![\p{L}\p{M}\p{N}_'’.-])[a-z]{6,14}(?![\p{L}\p{M}\p{N}_'’.-])|\p{Script=Han}/gu,
    ))
      seen.set(word, (seen.get(word) ?? new Set()).add(path));
  }
  const few = [...seen]
    .filter(([, paths]) => paths.size >= 2 && paths.size <= 40)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const pick = (some: typeof few) =>
    some.filter((_, at) => at % Math.max(1, Math.ceil(some.length / words)) === 0);
  const picked = [
    ...pick(few.filter(([word]) => /^[a-z]/.test(word))),
    ...pick(few.filter(([word]) => !/^[a-z]/.test(word))),
  ];
  const textOf = new Map(notes.map(({ path, text }) => [path, text]));
  const differences: string[] = [];
  for (const [word, paths] of picked) {
    const hits = new Set(
      (await reading.all('vault_search', 'results', { q: word, mode: 'lexical' })).map(
        (hit) => hit.path as string,
      ),
    );
    const missed = [...paths].filter((path) => !hits.has(path));
    const form = /^[a-z]/.test(word) ? word.slice(0, 4) : word;
    const strange = [...hits].filter((path) => textOf.has(path) && !textOf.get(path)?.includes(form));
    if (missed.length + strange.length > 0)
      differences.push(
        `${word}: missed ${missed.slice(0, 3).join(', ')}; strange ${strange.slice(0, 3).join(', ')}`,
      );
  }
  return compared(picked.length, differences);
}

/** Reads a note in every way and compares with its file. */
export async function compareNote(reading: Reading, path: string, text: string): Promise<readonly string[]> {
  const differences: string[] = [];
  const include = ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'];
  let body = '';
  let page = await reading.ask('note_read', { path, include, max_chars: 100_000 });
  body += page.body;
  while (page.has_more) {
    page = await reading.ask('note_read', { path, offset: page.next_offset, max_chars: 100_000 });
    body += page.body;
  }
  if (!text.endsWith(body)) differences.push(`${path}: the body is not the end of the file`);
  const outline = await reading.ask('note_outline', { path });
  for (const heading of outline.headings ?? []) {
    const line = text.split(/\r?\n/)[heading.line - 1] ?? '';
    if (!line.includes(heading.text.split(/\s/)[0]))
      differences.push(`${path}:${heading.line} is not "${heading.text}"`);
  }
  const exists = await reading.ask('note_exists', { path });
  if (!exists.exists || exists.kind !== 'note') differences.push(`${path}: does not exist`);
  return differences;
}

export { countPlainly };
