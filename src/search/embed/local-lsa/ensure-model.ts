import type { VectorModelRecord } from '../../../index/vector-index.ts';
import type { EmbeddingWork, PassageEmbedder } from '../embed-pending.ts';
import { localGeneration, localModelId } from '../model-ids.ts';
import { passagesOf } from '../passages.ts';
import { turn } from '../turn.ts';
import { decodeModel, encodeModel, encodeTerms } from './codec.ts';
import { lsaEmbedder } from './embedder.ts';
import type { LsaModel } from './model.ts';
import { LEAST_PASSAGES, SAMPLE_PASSAGES, trainLsa } from './train.ts';

/** A model is learned again when this share of its passages, and at least so many, are new to it. */
const DRIFT_SHARE = 0.2;
const DRIFT_LEAST = 100;
const NOTES_AT_ONCE = 32;

/**
 * The local model to embed with: the one being filled, the active one, or a newly learned one when there
 * is none, the vault has drifted from it, or it learned from notes that are hidden now. While a new one is filled, searches keep the old one.
 * @returns undefined when the vault has too little text to learn from
 */
export async function ensureLocalModel(work: EmbeddingWork): Promise<PassageEmbedder | undefined> {
  const { vectors } = work;
  const all = vectors.status().models.filter(({ kind }) => kind === 'statistical');
  const ours = all.filter(({ id }) => localGeneration(id) !== undefined);
  const building = ours.find(({ state }) => state === 'building');
  const active = ours.find(({ state }) => state === 'active');
  const usable = building ?? (active && !hasDrifted(active) ? active : undefined);
  const stored = usable && read(work, usable.id);
  if (usable && stored && vectors.teachers(usable.id).every(work.teaches))
    return embedderOf(usable.id, stored);

  work.report({ state: 'training', model: undefined });
  const { passages, teachers } = await sample(work);
  if (passages.length < LEAST_PASSAGES) {
    for (const { id } of all) vectors.drop(id);
    return undefined;
  }
  const model = await trainLsa(passages, work.pacer);
  const generation = Math.max(0, ...ours.map(({ id }) => localGeneration(id) ?? 0)) + 1;
  const id = localModelId(generation);
  if (usable) vectors.drop(usable.id);
  vectors.addModel(
    { id, kind: 'statistical', dimensions: model.dimensions, passages: passages.length },
    encodeModel(model),
    teachers,
  );
  return embedderOf(id, model);
}

/** The first fill counts every passage as changed, once. */
function hasDrifted({ passages, changed }: VectorModelRecord): boolean {
  return changed > Math.max(DRIFT_LEAST, passages * DRIFT_SHARE);
}

function read({ vectors }: EmbeddingWork, id: string): LsaModel | undefined {
  const data = vectors.modelData(id);
  try {
    return data && decodeModel(data);
  } catch {
    // Of another version, or damaged: learned again.
    return undefined;
  }
}

/** Distinct passages from all over the vault, and the paths of the notes they are from. */
async function sample({
  vectors,
  dialect,
  pacer,
  teaches,
}: EmbeddingWork): Promise<{ passages: string[]; teachers: string[] }> {
  const passages: string[] = [];
  const teachers: string[] = [];
  const seen = new Set<string>();
  const notes = vectors.mixed();
  for (let from = 0; from < notes.length && passages.length < SAMPLE_PASSAGES; from += NOTES_AT_ONCE) {
    for (const note of vectors.texts(notes.slice(from, from + NOTES_AT_ONCE))) {
      if (!teaches(note.path)) continue;
      teachers.push(note.path);
      const { texts, hashes } = passagesOf(note, dialect);
      texts.forEach((text, at) => {
        const hash = hashes[at] ?? '';
        if (seen.has(hash) || passages.length >= SAMPLE_PASSAGES) return;
        seen.add(hash);
        passages.push(text);
      });
      await turn(pacer);
    }
  }
  return { passages, teachers };
}

function embedderOf(id: string, model: LsaModel): PassageEmbedder {
  return {
    ...lsaEmbedder(id, model),
    terms: (texts) => texts.map((text) => encodeTerms(model.vocabulary.count(text))),
  };
}
