import { isLecternError } from '../../errors.ts';
import { type PathFilter, viewOf } from '../../index/note-index.ts';
import { VECTOR_START, type VectorIndexReader, type VectorModelRecord } from '../../index/vector-index.ts';
import type { Embedder } from '../embed/embedder.ts';
import { decodeModel } from '../embed/local-lsa/codec.ts';
import { lsaEmbedder } from '../embed/local-lsa/embedder.ts';
import type { LsaModel } from '../embed/local-lsa/model.ts';
import { localGeneration, neuralModelId } from '../embed/model-ids.ts';
import { Pacer } from '../pacer.ts';
import { PassageMatrix } from '../vector/passage-matrix.ts';

/** One model's vectors in memory, as of the last read of the index. */
export interface VectorSpace {
  readonly id: string;
  readonly embedder: Embedder;
  readonly matrix: PassageMatrix;
}

interface LocalModel {
  readonly id: string;
  readonly number: number;
  readonly model: LsaModel;
}

/** What semantic search can work with now. */
export interface PassageSpaces {
  /** Of the neural model where one is configured and filled, else of the local one. */
  readonly vectors: VectorSpace;
  /** The model learned from the vault, whose term counts passages are also scored by; a young vault has none. */
  readonly local: LocalModel | undefined;
  /** Why the vectors are not those of the configured model. */
  readonly notice: string | undefined;
}

interface LoadedSpace extends VectorSpace {
  position: typeof VECTOR_START;
}

const NOTES_PER_READ = 200;
const MOST_VERDICTS = 100;
/** Without numbers, which would count notes that a caller may not see. */
const ABSENT =
  'There are no semantic vectors for these notes yet: they are learned in the background once there is enough text.';
const NARROWED =
  'Search by meaning is learned from the notes of the vault together, so it is not offered to who may see only a part of them.';
const NOT_FILLED =
  'The vectors of the configured model are still being built; statistical vectors were used.';

/**
 * The reading side of semantic search: keeps the vectors of the active models in memory and follows the
 * embedding job, which may run in another thread or process. The first use loads everything, in slices.
 */
export class PassageIndex {
  readonly #reader: VectorIndexReader;
  readonly #neural: Embedder | undefined;
  #local: LocalModel | undefined;
  #known: { readonly version: number; readonly spaces: PassageSpaces | string } | undefined;
  /** By the number of the model: one that starts over keeps its id. */
  readonly #spaces = new Map<number, LoadedSpace>();
  /** Whether callers see all that a model learned from, by the key of what they may see. */
  #verdicts: { readonly model: number; readonly byFilter: Map<string, boolean> } = {
    model: 0,
    byFilter: new Map(),
  };
  #refreshing: Promise<PassageSpaces | string> | undefined;

  /** @param neural the configured neural model, if any */
  constructor(reader: VectorIndexReader, neural?: Embedder) {
    this.#reader = reader;
    this.#neural = neural;
  }

  get reader(): VectorIndexReader {
    return this.#reader;
  }

  /**
   * What a caller can search with, or one sentence that says why there is nothing. The vault's own model serves those
   * who may see what the owner lets everybody see, as it learns from just that; whoever may see less does without it:
   * what keeps company with what there, hidden notes taught as well. Whether they hold anything is not asked, as the
   * answer would tell.
   */
  async spaces(visible?: PathFilter): Promise<PassageSpaces | string> {
    const view = viewOf(visible);
    const spaces = await this.#shared();
    if (view === undefined) return spaces;
    if (!view.common) {
      const isNeural = typeof spaces !== 'string' && spaces.vectors.id !== spaces.local?.id;
      return isNeural ? { ...spaces, local: undefined, notice: undefined } : NARROWED;
    }
    if (typeof spaces === 'string') return ABSENT;
    const { vectors, local } = spaces;
    // It may have learned before the owner hid something more.
    if (local === undefined || (await this.#showsTeachers(local, view)))
      return { ...spaces, notice: spaces.notice && NOT_FILLED };
    return vectors.id === local.id ? ABSENT : { ...spaces, local: undefined };
  }

  /** Concurrent callers share one read. */
  #shared(): Promise<PassageSpaces | string> {
    this.#refreshing ??= this.#current().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #showsTeachers({ id, number }: LocalModel, visible: PathFilter): Promise<boolean> {
    if (this.#verdicts.model !== number) this.#verdicts = { model: number, byFilter: new Map() };
    const { byFilter } = this.#verdicts;
    let verdict = byFilter.get(visible.key);
    if (verdict === undefined) {
      const teachers = await this.#reader.teachers(id);
      verdict = teachers.every((path) => visible.test(path));
      if (byFilter.size >= MOST_VERDICTS) byFilter.clear();
      byFilter.set(visible.key, verdict);
    }
    return verdict;
  }

  async close(): Promise<void> {
    await this.#refreshing?.catch(() => {});
    await this.#neural?.close?.();
    await this.#reader.close();
  }

  /** Reads again only after the index was written. */
  async #current(): Promise<PassageSpaces | string> {
    const version = await this.#reader.version();
    if (this.#known?.version !== version) this.#known = { version, spaces: await this.#refresh() };
    return this.#known.spaces;
  }

  async #refresh(): Promise<PassageSpaces | string> {
    const { models, notes } = await this.#reader.status();
    const record = models.find(({ id, state }) => localGeneration(id) !== undefined && state === 'active');
    const learned = record && (await this.#localModel(record));
    const local = typeof learned === 'string' ? undefined : learned;
    const neural = this.#neural;
    const wanted = neural && neuralModelId(neural);
    const filled = models.find(({ id, state }) => id === wanted && state === 'active');
    if (neural && filled)
      return { vectors: await this.#space(filled, () => neural), local, notice: undefined };
    const building =
      wanted &&
      `The vectors of ${neural.id} are still being built (${await this.#reader.embedded(wanted)} of ${notes} notes)`;
    if (!local) {
      if (building) return `${building}.`;
      return typeof learned === 'string' ? learned : this.#absence(models, notes);
    }
    return {
      vectors: await this.#space(local, () => lsaEmbedder(local.id, local.model)),
      local,
      notice: building && `${building}; statistical vectors were used.`,
    };
  }

  async #absence(models: readonly VectorModelRecord[], notes: number): Promise<string> {
    const building = models.find(({ kind }) => kind === 'statistical');
    if (building)
      return `Semantic vectors are still being built (${await this.#reader.embedded(building.id)} of ${notes} notes).`;
    return ABSENT;
  }

  async #localModel(record: VectorModelRecord): Promise<LocalModel | string> {
    if (this.#local?.number === record.number) return this.#local;
    const data = await this.#reader.modelData(record.id);
    if (!data) return 'Semantic vectors are being replaced by newer ones.';
    try {
      const model = await decodeModel(data, new Pacer(Number.POSITIVE_INFINITY));
      this.#local = { id: record.id, number: record.number, model };
      return this.#local;
    } catch (error) {
      if (isLecternError(error)) return error.message;
      throw error;
    }
  }

  async #space(
    { id, number }: Pick<VectorModelRecord, 'id' | 'number'>,
    embedder: () => Embedder,
  ): Promise<VectorSpace> {
    let space = this.#spaces.get(number);
    if (!space) {
      // One space is in use at a time; another model's rows would only fill memory.
      this.#spaces.clear();
      const made = embedder();
      space = { id, embedder: made, matrix: new PassageMatrix(made.dimensions), position: VECTOR_START };
      this.#spaces.set(number, space);
    }
    await this.#follow(space);
    return space;
  }

  async #follow(space: LoadedSpace): Promise<void> {
    const pacer = new Pacer(Number.POSITIVE_INFINITY);
    for (;;) {
      const changes = await this.#reader.changes(space.id, space.position, NOTES_PER_READ);
      for (const note of changes.removed) space.matrix.remove(note);
      for (const vectors of changes.put) space.matrix.put(vectors.note, vectors);
      space.position = changes.position;
      if (changes.complete) return;
      if (pacer.due) await pacer.pause();
    }
  }
}
