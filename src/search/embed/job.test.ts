import { afterEach, describe, expect, it } from 'vitest';
import { openVectorWriter } from '../../index/sqlite/vectors/writer.ts';
import { VECTOR_START } from '../../index/vector-index.ts';
import { openDatabase } from '../../sqlite/driver.ts';
import { Pacer } from '../pacer.ts';
import { encodeModel } from './local-lsa/codec.ts';
import { trainLsa } from './local-lsa/train.ts';
import { localModelId } from './model-ids.ts';
import { countingEmbedder, type EmbeddingFixture, embeddingFixture, subjectVault } from './testing.ts';

let fixture: EmbeddingFixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

const open = (...parameters: Parameters<typeof embeddingFixture>): EmbeddingFixture => {
  fixture = embeddingFixture(...parameters);
  return fixture;
};

const FIRST = localModelId(1);

describe('the embedding job', () => {
  it('learns a model, embeds every note and makes it active', async () => {
    const { embed, vectors, states } = open(subjectVault());
    await embed();
    const { models, notes } = await vectors.status();
    expect(notes).toBe(80);
    expect(models).toEqual([
      expect.objectContaining({ id: FIRST, kind: 'statistical', state: 'active', passages: 80, changed: 0 }),
    ]);
    expect(await vectors.embedded(FIRST)).toBe(80);
    expect([...new Set(states.map(({ state }) => state))]).toEqual(['training', 'embedding', 'idle']);
  });

  it('does nothing when nothing changed', async () => {
    const { embed, vectors } = open(subjectVault());
    await embed();
    const { position } = await vectors.changes(FIRST, VECTOR_START, 1_000);
    await embed();
    expect((await vectors.changes(FIRST, position, 1_000)).put).toEqual([]);
  });

  it('reads the model only when there is something to embed', async () => {
    const { job, put, path } = open(subjectVault());
    const read: (number | undefined)[] = [];
    const watched = () => {
      const vectors = openVectorWriter(path);
      return new Proxy(vectors, {
        get(target, name) {
          if (name === 'modelData')
            return (id: string, most?: number) => {
              read.push(most);
              return target.modelData(id, most);
            };
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    };
    const first = job();
    first.wake();
    await first.idle();
    await first.close();
    const again = job({ vectors: watched() });
    again.wake();
    await again.idle();
    expect(read.filter((most) => most === undefined)).toEqual([]);
    put({ 'Garden/1.md': '# Garden 1\n\nTomatoes need compost.\n' });
    again.wake();
    await again.idle();
    expect(read.filter((most) => most === undefined)).toHaveLength(1);
  });

  it('learns anew when its model is of another version, also with nothing to embed', async () => {
    const { embed, vectors, path } = open(subjectVault());
    await embed();
    const database = openDatabase(path);
    database.exec("UPDATE model_data SET data = CAST('LSA1' AS BLOB) || substr(data, 5)");
    database.close();
    await embed();
    expect((await vectors.status()).models.map(({ id, state }) => [id, state])).toEqual([
      [localModelId(2), 'active'],
    ]);
  });

  it('embeds only what changed, and forgets what went', async () => {
    const { embed, vectors, put, index } = open(subjectVault());
    await embed();
    const { position } = await vectors.changes(FIRST, VECTOR_START, 1_000);
    put({ 'Garden/1.md': '# Garden 1\n\nTomatoes need compost.\n' });
    index.apply([], ['Music/2.md']);
    await embed();
    const changes = await vectors.changes(FIRST, position, 1_000);
    expect(changes.put).toHaveLength(1);
    expect(changes.removed).toHaveLength(1);
  });

  it('goes on where it was stopped', async () => {
    const { job, vectors, embed } = open(subjectVault(40));
    const first = job({ onState: ({ state }) => state === 'embedding' && void first.close() });
    first.wake();
    await first.idle();
    const before = await vectors.embedded(FIRST);
    expect(before).toBeLessThan(200);
    expect((await vectors.status()).models[0]?.state).toBe('building');
    await embed();
    expect(await vectors.embedded(FIRST)).toBe(200);
    expect((await vectors.status()).models.map(({ id, state }) => [id, state])).toEqual([[FIRST, 'active']]);
  });

  it('learns again when the vault has drifted, and lets go of the old model', async () => {
    const { embed, vectors, put } = open(subjectVault());
    await embed();
    const added = Object.fromEntries(
      Array.from({ length: 130 }, (_, at) => [
        `New/${at}.md`,
        `# New ${at}\n\nglacier moraine crevasse ${at} ice.\n`,
      ]),
    );
    put(added);
    await embed();
    expect((await vectors.status()).models[0]).toMatchObject({ id: FIRST, changed: 130 });
    await embed();
    expect((await vectors.status()).models).toEqual([
      expect.objectContaining({ id: localModelId(2), state: 'active', changed: 0, passages: 210 }),
    ]);
  });

  it('leaves a vault with too little text alone', async () => {
    const { embed, vectors, states } = open({ 'A.md': '# A\n\none two\n', 'B.md': '# B\n\nthree\n' });
    await embed();
    expect((await vectors.status()).models).toEqual([]);
    expect(states.at(-1)?.state).toBe('idle');
  });

  it('learns elsewhere when told to, and says when that failed', async () => {
    const { embed, vectors, states } = open(subjectVault());
    await embed({ learn: () => Promise.reject(new Error('out of memory')) });
    expect(states.at(-1)).toMatchObject({ state: 'failed', message: 'out of memory' });
    const model = await trainLsa(
      ['oven flour butter dough', 'chord melody rhythm', 'oven dough'],
      new Pacer(9e9),
    );
    const { dimensions } = model;
    await embed({ learn: async () => ({ data: encodeModel(model), dimensions, passages: 3, teachers: [] }) });
    expect((await vectors.status()).models).toEqual([
      expect.objectContaining({ id: FIRST, state: 'active', dimensions, passages: 80 }),
    ]);
  });

  it('learns anew when notes that taught it are hidden, also while it learns', async () => {
    const { job, vectors } = open(subjectVault());
    const hiding = (subject: string) => (path: string) => !path.startsWith(`${subject}/`);
    const made = job();
    made.wake();
    await made.idle();
    expect((await vectors.teachers(FIRST)).some((path) => path.startsWith('Music/'))).toBe(true);
    made.teach(hiding('Music'));
    await made.idle();
    const [model] = (await vectors.status()).models;
    expect(model).toMatchObject({ state: 'active' });
    expect(model?.id).not.toBe(FIRST);
    expect((await vectors.teachers(model?.id ?? '')).filter((path) => path.startsWith('Music/'))).toEqual([]);

    const pacer = new Pacer(9e9);
    let lessons = 0;
    const late = job({
      teaches: hiding('Garden'),
      learn: async () => {
        lessons++;
        const taught = await trainLsa(['oven flour butter', 'chord melody', 'oven dough'], pacer);
        if (lessons === 1) late.teach(hiding('Kitchen'));
        const { dimensions } = taught;
        const teachers = [lessons === 1 ? 'Kitchen/1.md' : 'Music/1.md'];
        return { data: encodeModel(taught), dimensions, passages: 3, teachers };
      },
    });
    await made.close();
    late.wake();
    await late.idle();
    expect(lessons).toBe(2);
    const [last] = (await vectors.status()).models;
    expect(await vectors.teachers(last?.id ?? '')).toEqual(['Music/1.md']);
  });

  it('is closed at once while it learns', async () => {
    const { job } = open(subjectVault());
    let asked: AbortSignal | undefined;
    const learning = job({
      learn: (_, signal) =>
        new Promise((_, reject) => {
          asked = signal;
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    learning.wake();
    await expect.poll(() => asked).toBeDefined();
    await learning.close();
    expect(asked?.aborted).toBe(true);
  });

  it('does not work beside another process', async () => {
    const { job, embed, states, vectors } = open(subjectVault());
    const other = job({ owner: 'other' });
    other.wake();
    await other.idle();
    await embed({ owner: 'this' });
    expect(states.at(-1)).toMatchObject({ state: 'elsewhere' });
    await other.close();
    await embed({ owner: 'this' });
    expect(states.at(-1)?.state).toBe('idle');
    expect(await vectors.embedded(FIRST)).toBe(80);
  });

  it('asks a neural model only for passages whose text is new', async () => {
    const neural = countingEmbedder();
    const sections = (last: string) =>
      ['one', 'two', last].map((word) => `## ${word}\n\n${`${word} `.repeat(250)}\n`).join('\n');
    const { embed, put } = open({ ...subjectVault(), 'Long.md': sections('three') }, neural);
    await embed();
    const before = neural.asked.length;
    expect(before).toBeGreaterThan(82);
    put({ 'Long.md': sections('four') });
    await embed();
    expect(neural.asked.slice(before).map((text) => text.includes('four'))).toEqual([true]);
  });

  it('embeds a note anew that was moved or renamed with the same text', async () => {
    const neural = countingEmbedder();
    const text = 'Tomatoes need compost.\n';
    const { embed, index, put, passages } = open({ ...subjectVault(), 'Old name.md': text }, neural);
    await embed();
    const before = neural.asked.length;
    put({ 'Archive/New name.md': text });
    index.apply([], ['Old name.md']);
    await embed();
    expect(neural.asked.slice(before)).toEqual([`New name\n\n${text.trim()}`]);
    const spaces = await passages.spaces();
    expect(typeof spaces === 'string' ? spaces : spaces.vectors.matrix.notes).toBe(81);
  });

  it('serves with a neural model from the first note on, whatever the vault can teach', async () => {
    const neural = countingEmbedder();
    const { embed, put, passages, vectors } = open({ 'A.md': 'Tomatoes need compost.\n' }, neural);
    expect(await passages.spaces()).toContain('test/letters are still being built');
    await embed();
    expect((await vectors.status()).models.map(({ kind, state }) => [kind, state])).toEqual([
      ['neural', 'active'],
    ]);
    expect(await passages.spaces()).toMatchObject({
      vectors: { embedder: { id: 'test/letters' } },
      local: undefined,
      notice: undefined,
    });
    put(subjectVault());
    await embed();
    expect(await passages.spaces()).toMatchObject({
      vectors: { embedder: { id: 'test/letters' } },
      local: { id: FIRST },
    });
  });

  it('says that a backend fails, keeps the local vectors, and comes back', async () => {
    const neural = countingEmbedder();
    neural.fail = true;
    const { embed, states, vectors } = open(subjectVault(), neural);
    await embed();
    expect(states.at(-1)).toMatchObject({ state: 'failed', message: 'The endpoint is down.' });
    expect(await vectors.embedded(FIRST)).toBe(80);
    neural.fail = false;
    await embed();
    expect((await vectors.status()).models.map(({ kind, state }) => [kind, state])).toEqual([
      ['statistical', 'active'],
      ['neural', 'active'],
    ]);
  });
});
