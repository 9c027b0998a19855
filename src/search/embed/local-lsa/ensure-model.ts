import type { VectorModelRecord } from '../../../index/vector-index.ts';
import type { EmbeddingWork, PassageEmbedder } from '../embed-pending.ts';
import { localGeneration, localModelId } from '../model-ids.ts';
import { decodeModel, isModel, MODEL_MARK_BYTES } from './codec.ts';
import { lsaEmbedder } from './embedder.ts';
import type { LearnedModel } from './learn.ts';
import type { LsaModel } from './model.ts';

/** A model is learned again when this share of its passages, and at least so many, are new to it. */
const DRIFT_SHARE = 0.2;
const DRIFT_LEAST = 100;
const NO_BYTES = new Uint8Array(0);

/**
 * The local model to embed with: the one being filled, the active one, or a newly learned one when there
 * is none, the vault has drifted from it, or it learned from notes that are hidden now. While a new one is filled, searches keep the old one.
 * @returns undefined when the vault has too little text to learn from
 */
export async function ensureLocalModel(work: EmbeddingWork): Promise<PassageEmbedder | undefined> {
  const { vectors } = work;
  const all = vectors.models().filter(({ kind }) => kind === 'statistical');
  const ours = all.filter(({ id }) => localGeneration(id) !== undefined);
  const building = ours.find(({ state }) => state === 'building');
  const active = ours.find(({ state }) => state === 'active');
  const usable = building ?? (active && !hasDrifted(active) ? active : undefined);
  const stored = usable && (await read(work, usable.id));
  if (usable && stored && vectors.teachers(usable.id).every(work.teaches))
    return embedderOf(usable.id, stored);

  work.report({ state: 'training', model: undefined });
  const learned = await learnFromTeachers(work);
  if (learned === undefined) {
    for (const { id } of all) vectors.drop(id);
    return undefined;
  }
  const { data, dimensions, passages, teachers } = learned;
  const generation = Math.max(0, ...ours.map(({ id }) => localGeneration(id) ?? 0)) + 1;
  const id = localModelId(generation);
  if (usable) vectors.drop(usable.id);
  vectors.addModel({ id, kind: 'statistical', dimensions, passages }, data, teachers);
  return embedderOf(id, await decodeModel(data, work.pacer));
}

/**
 * Whether every note has its vectors of the local model and it can stay. Then it need not be read, which takes tens of
 * megabytes that the thread gives back late.
 */
export function isSettled({ vectors, reached, teaches }: EmbeddingWork): boolean {
  const all = vectors.models().filter(({ kind }) => kind === 'statistical');
  const [only] = all;
  if (all.length !== 1 || only?.state !== 'active' || hasDrifted(only)) return false;
  if (localGeneration(only.id) === undefined) return false;
  if (!isModel(vectors.modelData(only.id, MODEL_MARK_BYTES) ?? NO_BYTES)) return false;
  const sequence = vectors.sequence();
  if (vectors.pending(only.id, reached.get(only.id)).length > 0) return false;
  if (!vectors.teachers(only.id).every(teaches)) return false;
  reached.set(only.id, sequence);
  return true;
}

/** Again when some of them were hidden meanwhile. */
async function learnFromTeachers(work: EmbeddingWork): Promise<LearnedModel | undefined> {
  for (;;) {
    const notes = work.vectors.mixed().filter(({ path }) => work.teaches(path));
    const learned = await work.learn(notes.map(({ note }) => note));
    if (learned === undefined || learned.teachers.every(work.teaches)) return learned;
  }
}

/** The first fill counts every passage as changed, once. */
function hasDrifted({ passages, changed }: VectorModelRecord): boolean {
  return changed > Math.max(DRIFT_LEAST, passages * DRIFT_SHARE);
}

async function read({ vectors, pacer }: EmbeddingWork, id: string): Promise<LsaModel | undefined> {
  const data = vectors.modelData(id);
  try {
    return data && (await decodeModel(data, pacer));
  } catch {
    // Of another version, or damaged: learned again.
    return undefined;
  }
}

function embedderOf(id: string, model: LsaModel): PassageEmbedder {
  return {
    ...lsaEmbedder(id, model),
    lengths: (texts) => texts.map((text) => model.vocabulary.length(text)),
  };
}
