import type { NoteIndexReader } from '../../index/note-index.ts';
import { openIndexReader } from '../../index/sqlite/read/reader.ts';
import { inputs, scratchIndex } from '../../index/sqlite/testing.ts';
import { openVectorReader } from '../../index/sqlite/vectors/reader.ts';
import { openVectorWriter } from '../../index/sqlite/vectors/writer.ts';
import { openIndexWriter, type SqliteIndexWriter } from '../../index/sqlite/write/writer.ts';
import type { VectorIndexReader } from '../../index/vector-index.ts';
import { PassageIndex } from '../semantic/passage-index.ts';
import type { Embedder } from './embedder.ts';
import type { EmbeddingState } from './embedding-state.ts';
import { type EmbeddingJob, type EmbeddingJobOptions, startEmbeddingJob } from './job.ts';

/** A real index with its embedding job, as the indexer's worker runs it. */
export interface EmbeddingFixture {
  /** Of the index. */
  readonly path: string;
  readonly index: SqliteIndexWriter;
  readonly reader: NoteIndexReader;
  readonly vectors: VectorIndexReader;
  readonly passages: PassageIndex;
  readonly states: readonly EmbeddingState[];
  put(files: Readonly<Record<string, string>>): void;
  /** Another job over the same index, as after a restart or in another process. */
  job(options?: Partial<EmbeddingJobOptions>): EmbeddingJob;
  /** Embeds everything that is pending. */
  embed(options?: Partial<EmbeddingJobOptions>): Promise<void>;
  close(): Promise<void>;
}

export function embeddingFixture(
  files: Readonly<Record<string, string>>,
  neural?: Embedder,
): EmbeddingFixture {
  const { path, remove } = scratchIndex();
  const index = openIndexWriter(path, { dialect: 'obsidian' });
  index.apply(inputs(files), []);
  const reader = openIndexReader(path);
  const vectors = openVectorReader(path);
  const passages = new PassageIndex(openVectorReader(path), neural);
  const states: EmbeddingState[] = [];
  const jobs: EmbeddingJob[] = [];
  const job: EmbeddingFixture['job'] = (options = {}) => {
    const made = startEmbeddingJob({
      vectors: openVectorWriter(path),
      dialect: 'obsidian',
      settleMs: 0,
      onState: (state) => states.push(state),
      ...(neural && { neural }),
      ...options,
    });
    jobs.push(made);
    return made;
  };
  return {
    path,
    index,
    reader,
    vectors,
    passages,
    states,
    put: (changed) => index.apply(inputs(changed), []),
    job,
    async embed(options) {
      const made = job(options);
      made.wake();
      await made.idle();
      await made.close();
      jobs.splice(jobs.indexOf(made), 1);
    },
    async close() {
      for (const each of jobs) await each.close();
      await passages.close();
      await vectors.close();
      await reader.close();
      index.close();
      remove();
    },
  };
}

const SUBJECTS: readonly { readonly name: string; readonly words: string }[] = [
  { name: 'Garden', words: 'soil seeds compost tomatoes watering beds pruning mulch sunlight harvest' },
  { name: 'Kitchen', words: 'oven flour butter recipe dough yeast simmer saucepan baking seasoning' },
  { name: 'Servers', words: 'kernel reboot daemon firewall backup disk ssh latency container cluster' },
  { name: 'Music', words: 'chord melody rhythm guitar piano tempo harmony scale octave rehearsal' },
  { name: 'Money', words: 'budget invoice savings mortgage tax interest broker dividend payroll receipt' },
];

/** A small vault with five subjects whose words keep to themselves: `Garden/3.md` and so on. */
export function subjectVault(notesEach = 16): Record<string, string> {
  const files: Record<string, string> = {};
  let state = 11;
  const pick = (count: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % count;
  };
  for (const { name, words } of SUBJECTS) {
    const pool = words.split(' ');
    for (let note = 1; note <= notesEach; note += 1) {
      const text = Array.from({ length: 14 }, () => pool[pick(pool.length)]).join(' ');
      files[`${name}/${note}.md`] = `# ${name} ${note}\n\n${text}.\n`;
    }
  }
  return files;
}

/** An embedder that counts its calls, and fails while `fail` is set. Vectors follow the first letters. */
export function countingEmbedder(): Embedder & { readonly asked: string[]; fail: boolean } {
  const asked: string[] = [];
  return {
    id: 'test/letters',
    dimensions: 26,
    kind: 'neural',
    batch: 4,
    asked,
    fail: false,
    async embed(texts) {
      if (this.fail) throw new Error('The endpoint is down.');
      asked.push(...texts);
      return texts.map((text) => {
        const vector = new Float32Array(26);
        for (const letter of text.toLowerCase().replace(/[^a-z]/g, ''))
          vector[letter.charCodeAt(0) - 97] = (vector[letter.charCodeAt(0) - 97] ?? 0) + 1;
        const length = Math.hypot(...vector) || 1;
        return vector.map((value) => value / length);
      });
    },
  };
}
