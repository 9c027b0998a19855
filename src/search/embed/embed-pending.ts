import type { NoteEmbedding, VectorIndexWriter } from '../../index/vector-index.ts';
import type { Dialect } from '../../notes/model.ts';
import type { Pacer } from '../pacer.ts';
import { quantise } from '../vector/quantise.ts';
import type { Embedder } from './embedder.ts';
import type { EmbeddingState } from './embedding-state.ts';
import type { LearnedModel } from './local-lsa/learn.ts';
import { type NotePassages, passagesOf } from './passages.ts';
import { yieldTurn } from './yield-turn.ts';

/** What the steps of the embedding job share. */
export interface EmbeddingWork {
  readonly vectors: VectorIndexWriter;
  readonly dialect: Dialect;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
  /** Which notes the vault's own model may learn from. */
  readonly teaches: (path: string) => boolean;
  /** Per model, the change of the index up to which everything was embedded. */
  readonly reached: Map<string, number>;
  report(state: Partial<EmbeddingState> & Pick<EmbeddingState, 'state'>): void;
  /** Learns the local model from some of these notes; undefined when they have too little text. */
  learn(notes: readonly number[]): Promise<LearnedModel | undefined>;
  /** Keeps the claim on the vault alive. @returns false when another process took it over */
  renew(): boolean;
}

/** An embedder that may also tell how many terms of each passage it knows. */
export interface PassageEmbedder extends Embedder {
  lengths?(texts: readonly string[]): readonly number[];
}

/** Notes fetched and committed together: a few milliseconds of writing. */
const NOTES_PER_BATCH = 24;
const REPORT_EVERY_MS = 200;

/**
 * Gives every pending note its vectors, most recently changed first, and makes the model active once
 * none is pending. Passages whose text is as before keep their vectors.
 */
export async function embedPending(work: EmbeddingWork, embedder: PassageEmbedder): Promise<void> {
  const { vectors, pacer } = work;
  const record = vectors.models().find(({ id }) => id === embedder.id);
  if (record && record.dimensions !== embedder.dimensions) vectors.drop(embedder.id);
  if (record?.dimensions !== embedder.dimensions) vectors.addModel({ ...embedder, passages: 0 }, undefined);
  const sequence = vectors.sequence();
  const since = record?.state === 'active' ? work.reached.get(embedder.id) : undefined;
  const pending = vectors.pending(embedder.id, since);
  let reported = 0;
  for (let done = 0; done < pending.length; done += NOTES_PER_BATCH) {
    if (performance.now() - reported > REPORT_EVERY_MS) {
      reported = performance.now();
      work.report({ state: 'embedding', model: embedder.id, done, total: pending.length });
      if (!work.renew()) return;
    }
    await embedBatch(work, embedder, pending.slice(done, done + NOTES_PER_BATCH));
    await yieldTurn(pacer);
  }
  const state = vectors.models().find(({ id }) => id === embedder.id)?.state;
  if (state === 'building') vectors.activate(embedder.id, work.teaches);
  work.reached.set(embedder.id, sequence);
}

async function embedBatch(
  work: EmbeddingWork,
  embedder: PassageEmbedder,
  notes: readonly number[],
): Promise<void> {
  const { vectors, dialect, pacer } = work;
  const embeddings: NoteEmbedding[] = [];
  let changed = 0;
  for (const note of vectors.texts(notes)) {
    const cut = passagesOf(note, dialect);
    const { bytes, scales, fresh } = await vectorsOf(work, embedder, note.note, cut);
    const { passages, hashes, texts } = cut;
    // What teaches nothing is no reason to learn again.
    if (work.teaches(note.path)) changed += fresh;
    embeddings.push({
      note: note.note,
      etag: note.etag,
      title: note.title,
      passages,
      hashes,
      bytes,
      scales,
      ...(embedder.lengths && { lengths: embedder.lengths(texts) }),
    });
    await yieldTurn(pacer);
  }
  vectors.put(embedder.id, embeddings, changed);
}

async function vectorsOf(
  { vectors, pacer, signal }: EmbeddingWork,
  embedder: PassageEmbedder,
  note: number,
  { texts, hashes }: NotePassages,
): Promise<{ bytes: Int8Array; scales: Float32Array; fresh: number }> {
  const { dimensions } = embedder;
  const known = vectors.known(embedder.id, note);
  const bytes = new Int8Array(texts.length * dimensions);
  const scales = new Float32Array(texts.length);
  const place = (seq: number, vector: { bytes: Int8Array; scale: number }): void => {
    bytes.set(vector.bytes, seq * dimensions);
    scales[seq] = vector.scale;
  };
  const missing: number[] = [];
  hashes.forEach((hash, seq) => {
    const kept = known.get(hash);
    if (kept) place(seq, kept);
    else missing.push(seq);
  });
  for (let from = 0; from < missing.length; from += embedder.batch) {
    const seqs = missing.slice(from, from + embedder.batch);
    const fresh = await embedder.embed(
      seqs.map((seq) => texts[seq] ?? ''),
      'passage',
      signal,
    );
    seqs.forEach((seq, at) => {
      place(seq, quantise(fresh[at] ?? new Float32Array(dimensions)));
    });
    await yieldTurn(pacer);
  }
  return { bytes, scales, fresh: missing.length };
}
