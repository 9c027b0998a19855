import type { NoteIndexReader, PathFilter } from '../index/note-index.ts';
import { Pacer } from './pacer.ts';
import type { PassageIndex, PassageSpaces } from './semantic/passage-index.ts';
import { normalise } from './vector/quantise.ts';

/** A note near another one. */
export interface RelatedNote {
  readonly path: string;
  readonly title: string;
  /** 0..1 */
  readonly score: number;
  /** Of `content`, `links to`, `linked from`, `shared links`: why it is here. */
  readonly because: readonly string[];
  /** Of a copy that a sync program made, the path of the original. */
  readonly copyOf?: string;
}

export interface RelatedAnswer {
  readonly items: readonly RelatedNote[];
  /** Why content could not be compared, when it could not. */
  readonly notice: string | undefined;
}

/** A direct link weighs as much as a rather similar text; being linked from the same note weighs half of that. */
const WEIGHTS = { content: 0.7, link: 0.3, shared: 0.15 } as const;
const CANDIDATES = 200;
const LINKS = 200;
/** Notes whose links are followed one step further. */
const NEIGHBOURS = 20;
const LEAST = 0.12;

/**
 * Notes near a note, by the meaning of its passages and by links: to it, from it, and to the same notes.
 * Without vectors, by links alone.
 * @param path of an existing note, as the index spells it
 */
export async function relatedNotes(
  reader: NoteIndexReader,
  passages: PassageIndex,
  path: string,
  options: { limit: number; visible?: PathFilter; signal?: AbortSignal },
): Promise<RelatedAnswer> {
  const { limit, visible, signal } = options;
  const found = new Map<string, { score: number; because: Set<string> }>();
  const add = (other: string, score: number, because: string): void => {
    if (other === path) return;
    const known = found.get(other) ?? { score: 0, because: new Set<string>() };
    // The same reason twice is not a stronger one.
    if (!known.because.has(because)) known.score += score;
    known.because.add(because);
    found.set(other, known);
  };
  const spaces = await passages.spaces(visible);
  if (typeof spaces !== 'string') {
    for (const [other, nearness] of await nearest(passages, spaces, path, visible, signal))
      add(other, WEIGHTS.content * nearness, 'content');
  }
  signal?.throwIfAborted();
  await addLinks(reader, path, visible, add, signal);
  const best = [...found]
    .filter(([, { score }]) => score >= LEAST)
    .sort(([a, x], [b, y]) => y.score - x.score || (a < b ? -1 : 1))
    .slice(0, limit);
  const items = await Promise.all(
    best.map(async ([other, { score, because }]) => ({
      path: other,
      title: (await reader.file(other))?.title ?? other,
      score: Math.round(Math.min(1, score) * 1e6) / 1e6,
      because: [...because],
    })),
  );
  return { items, notice: typeof spaces === 'string' ? spaces : undefined };
}

/** Notes by their passage nearest to the middle of this note's passages, 0..1. */
async function nearest(
  passages: PassageIndex,
  { vectors: { matrix } }: PassageSpaces,
  path: string,
  visible: PathFilter | undefined,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, number>> {
  const note = (await passages.reader.notesAt([path])).get(path);
  if (note === undefined || !matrix.has(note)) return new Map();
  const middle = new Float32Array(matrix.dimensions);
  for (let seq = 0; seq < matrix.passagesOf(note); seq += 1)
    matrix.vector(note, seq)?.forEach((value, d) => {
      middle[d] = (middle[d] ?? 0) + value;
    });
  const allowed = await passages.reader.allowed({}, visible);
  const found = await matrix.search(normalise(middle), CANDIDATES, {
    allowed: (other) => other !== note && (allowed === undefined || allowed.has(other)),
    pacer: new Pacer(Number.POSITIVE_INFINITY, signal),
  });
  const best = new Map<number, number>();
  for (const { note: other, score } of found) if (!best.has(other)) best.set(other, Math.max(0, score));
  const files = await passages.reader.files([...best.keys()]);
  return new Map(Array.from(files, ([other, file]) => [file.path, best.get(other) ?? 0]));
}

async function addLinks(
  reader: NoteIndexReader,
  path: string,
  visible: PathFilter | undefined,
  add: (path: string, score: number, because: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const page = { limit: LINKS, ...(visible && { visible }) };
  const [forward, back] = await Promise.all([reader.forward(path, page), reader.backlinks(path, page)]);
  const targets = [...new Set(forward.items.flatMap(({ target }) => target ?? []))];
  for (const target of targets) if (visible?.test(target) ?? true) add(target, WEIGHTS.link, 'links to');
  for (const { source } of back.items) add(source, WEIGHTS.link, 'linked from');
  for (const target of targets.slice(0, NEIGHBOURS)) {
    signal?.throwIfAborted();
    // What everything links to (an index, a daily template) relates nothing.
    const others = await reader.backlinks(target, { ...page, limit: NEIGHBOURS });
    if (others.total > NEIGHBOURS) continue;
    for (const { source } of others.items) add(source, WEIGHTS.shared, 'shared links');
  }
}
