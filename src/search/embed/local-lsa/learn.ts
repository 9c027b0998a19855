import type { VectorIndexWriter } from '../../../index/vector-index.ts';
import type { Dialect } from '../../../notes/model.ts';
import type { Pacer } from '../../pacer.ts';
import { passagesOf } from '../passages.ts';
import { yieldTurn } from '../yield-turn.ts';
import { encodeModel } from './codec.ts';
import { LEAST_PASSAGES, SAMPLE_PASSAGES, trainLsa } from './train.ts';

/** Where the notes to learn from are read. */
export type LearningSource = Pick<VectorIndexWriter, 'texts'>;

export interface LearnedModel {
  /** As {@link encodeModel} stores it. */
  readonly data: Uint8Array<ArrayBuffer>;
  readonly dimensions: number;
  /** How many it was learned from. */
  readonly passages: number;
  /** Paths of the notes they are from. */
  readonly teachers: readonly string[];
}

const NOTES_AT_ONCE = 32;

/**
 * Learns a model from the first of these notes. It takes many times the memory of what comes out of it.
 * @param notes in an order that mixes the vault
 * @returns undefined when they have too little text
 * @throws AbortError when the pacer's signal aborts
 */
export async function learnModel(
  source: LearningSource,
  notes: readonly number[],
  dialect: Dialect,
  pacer: Pacer,
): Promise<LearnedModel | undefined> {
  const { passages, teachers } = await sample(source, notes, dialect, pacer);
  if (passages.length < LEAST_PASSAGES) return undefined;
  const model = await trainLsa(passages, pacer);
  return { data: encodeModel(model), dimensions: model.dimensions, passages: passages.length, teachers };
}

/** Distinct passages, and the paths of the notes they are from. */
async function sample(
  source: LearningSource,
  notes: readonly number[],
  dialect: Dialect,
  pacer: Pacer,
): Promise<{ passages: string[]; teachers: string[] }> {
  const passages: string[] = [];
  const teachers: string[] = [];
  const seen = new Set<string>();
  for (let from = 0; from < notes.length && passages.length < SAMPLE_PASSAGES; from += NOTES_AT_ONCE) {
    for (const note of source.texts(notes.slice(from, from + NOTES_AT_ONCE))) {
      teachers.push(note.path);
      const { texts, hashes } = passagesOf(note, dialect);
      texts.forEach((text, at) => {
        const hash = hashes[at] ?? '';
        if (seen.has(hash) || passages.length >= SAMPLE_PASSAGES) return;
        seen.add(hash);
        passages.push(text);
      });
      await yieldTurn(pacer);
    }
  }
  return { passages, teachers };
}
