import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type NoteEmbedding,
  VECTOR_START,
  type VectorIndexReader,
  type VectorIndexWriter,
} from '../../vector-index.ts';
import { fileInput, inputs, scratchIndex } from '../testing.ts';
import { openIndexWriter } from '../write/writer.ts';
import { openVectorReader } from './reader.ts';
import { openVectorWriter } from './writer.ts';

const HASH = '0123456789abcdef';

describe('the vector tables', () => {
  let index: ReturnType<typeof openIndexWriter>;
  let writer: VectorIndexWriter;
  let reader: VectorIndexReader;
  let cleanUp: () => void;

  beforeEach(() => {
    const { path, remove } = scratchIndex();
    index = openIndexWriter(path, { dialect: 'obsidian' });
    index.apply(inputs({ 'A.md': '# A\n\none', 'B.md': '# B\n\ntwo', 'P/C.md': '# C\n\n#tag three' }), []);
    reader = openVectorReader(path);
    writer = openVectorWriter(path);
    cleanUp = remove;
  });

  afterEach(async () => {
    await reader.close();
    writer.close();
    index.close();
    cleanUp();
  });

  const idOf = async (path: string) => (await reader.notesAt([path])).get(path) ?? 0;

  async function embedding(path: string, value: number): Promise<NoteEmbedding> {
    const note = await idOf(path);
    const [text] = writer.texts([note]);
    return {
      note,
      etag: text?.etag ?? '',
      title: text?.title ?? '',
      passages: [{ start: 0, end: 3, line: 1, headings: ['A', 'é'] }],
      hashes: [HASH],
      bytes: Int8Array.from([value, -value]),
      scales: Float32Array.from([0.5]),
      lengths: [300],
    };
  }

  const model = { id: 'm:1', kind: 'statistical', dimensions: 2, passages: 3 } as const;

  it('is empty, not an error, before any job has run', async () => {
    expect(await reader.status()).toEqual({ models: [], notes: 0 });
    expect((await reader.changes('m:1', VECTOR_START, 10)).put).toEqual([]);
    expect((await reader.sources([1], 'm:1')).size).toBe(0);
  });

  it('gives back what was put', async () => {
    writer.addModel(model, Uint8Array.from([9]));
    const put = await embedding('A.md', 7);
    writer.put('m:1', [put], 1);
    expect(await reader.status()).toEqual({
      models: [{ ...model, number: 1, state: 'building', changed: 1 }],
      notes: 3,
    });
    expect(await reader.modelData('m:1')).toEqual(Uint8Array.from([9]));
    expect(await reader.embedded('m:1')).toBe(1);
    const { put: rows, position, complete } = await reader.changes('m:1', VECTOR_START, 10);
    expect(rows).toEqual([{ note: put.note, count: 1, bytes: put.bytes, scales: put.scales }]);
    expect(complete).toBe(true);
    expect((await reader.changes('m:1', position, 10)).put).toEqual([]);
    const { note, etag, passages, lengths } = put;
    const source = (await reader.sources([note], 'm:1')).get(note);
    expect(source).toMatchObject({ path: 'A.md', title: 'A', etag, passages, lengths });
    expect((await reader.sources([note], 'm:2')).get(note)).toMatchObject({ passages, lengths: [] });
    expect(writer.known('m:1', put.note).get(HASH)).toEqual({ bytes: put.bytes, scale: 0.5 });
  });

  it('knows which notes are pending: new, changed, never the others', async () => {
    writer.addModel(model, undefined);
    const all = writer.pending('m:1');
    expect(new Set(all)).toEqual(new Set(writer.mixed().map(({ note }) => note)));
    writer.put('m:1', [await embedding('A.md', 1), await embedding('B.md', 1)], 0);
    expect(writer.pending('m:1')).toEqual([await idOf('P/C.md')]);
    const before = writer.sequence();
    expect(writer.pending('m:1', before)).toEqual([]);
    index.apply([fileInput('A.md', '# A\n\nchanged')], []);
    expect(writer.pending('m:1', before)).toEqual([await idOf('A.md')]);
    expect(writer.pending('m:1')).toContain(await idOf('A.md'));
    expect(writer.pending('m:1')).toHaveLength(2);
  });

  it('holds a note pending whose title alone is another, as a store may keep it beside the text', async () => {
    writer.addModel(model, undefined);
    for (const path of ['A.md', 'B.md', 'P/C.md']) writer.put('m:1', [await embedding(path, 1)], 0);
    const [text] = writer.texts([await idOf('A.md')]);
    index.apply([fileInput('A.md', text?.text ?? '', { facts: { title: 'Renamed', tags: [] } })], []);
    expect(writer.pending('m:1')).toEqual([await idOf('A.md')]);
    writer.put('m:1', [await embedding('A.md', 2)], 0);
    expect(writer.pending('m:1')).toEqual([]);
  });

  it('reports a note that is put again at a new position, and one that went', async () => {
    writer.addModel(model, undefined);
    writer.put('m:1', [await embedding('A.md', 1), await embedding('B.md', 2)], 0);
    const first = await reader.changes('m:1', VECTOR_START, 10);
    const gone = await idOf('B.md');
    writer.put('m:1', [await embedding('A.md', 3)], 0);
    index.apply([], ['B.md']);
    const second = await reader.changes('m:1', first.position, 10);
    expect(second.put.map(({ bytes }) => bytes[0])).toEqual([3]);
    expect(second.removed).toEqual([gone]);
    expect((await reader.sources([gone], 'm:1')).size).toBe(0);
  });

  it('pages through changes', async () => {
    writer.addModel(model, undefined);
    writer.put(
      'm:1',
      [await embedding('A.md', 1), await embedding('B.md', 2), await embedding('P/C.md', 3)],
      0,
    );
    const first = await reader.changes('m:1', VECTOR_START, 2);
    expect([first.put.length, first.complete]).toEqual([2, false]);
    const second = await reader.changes('m:1', first.position, 2);
    expect([second.put.length, second.complete]).toEqual([1, true]);
  });

  it('replaces the active model of a kind and purges the old one bit by bit', async () => {
    writer.addModel(model, undefined);
    writer.put('m:1', [await embedding('A.md', 1), await embedding('B.md', 2)], 0);
    writer.activate('m:1');
    writer.addModel({ ...model, id: 'm:2' }, undefined);
    writer.addModel({ id: 'n', kind: 'neural', dimensions: 2, passages: 0 }, undefined);
    writer.put('m:2', [await embedding('A.md', 5)], 0);
    writer.put('m:2', [await embedding('B.md', 6)], 4);
    writer.activate('m:2');
    expect((await reader.status()).models[0]).toMatchObject({ passages: 2, changed: 0 });
    expect((await reader.status()).models.map(({ id, state }) => [id, state])).toEqual([
      ['m:2', 'active'],
      ['n', 'building'],
    ]);
    expect([writer.purge(1), writer.purge(1), writer.purge(1)]).toEqual([true, true, false]);
    expect((await reader.changes('m:2', VECTOR_START, 10)).removed).toEqual([]);
    expect(() => writer.put('m:1', [], 0)).toThrow('no vector model');
  });

  it('starts a model of the same id over', async () => {
    writer.addModel(model, undefined);
    writer.put('m:1', [await embedding('A.md', 1)], 0);
    writer.drop('m:1');
    writer.addModel(model, undefined);
    expect(writer.pending('m:1')).toHaveLength(3);
  });

  it('filters as lists do', async () => {
    const everything = await reader.allowed({});
    expect(everything).toBeUndefined();
    expect(await reader.allowed({ tags: ['tag'] })).toEqual(new Set([await idOf('P/C.md')]));
    expect(await reader.allowed({ pathGlob: 'P/**' })).toEqual(new Set([await idOf('P/C.md')]));
    const visible = { key: 'a', test: (path: string) => path === 'A.md' };
    expect(await reader.allowed({}, visible)).toEqual(new Set([await idOf('A.md')]));
  });

  it('gives the job to one owner until the claim runs out', () => {
    expect(writer.claim('one', 60_000)).toBe(true);
    expect(writer.claim('two', 60_000)).toBe(false);
    expect(writer.claim('one', 60_000)).toBe(true);
    writer.release('one');
    expect(writer.claim('two', -1)).toBe(true);
    expect(writer.claim('one', 1_000)).toBe(true);
  });

  it('leaves out what has gone while it was embedded', async () => {
    writer.addModel(model, undefined);
    const put = await embedding('A.md', 1);
    index.apply([], ['A.md']);
    writer.put('m:1', [put], 1);
    expect(await reader.embedded('m:1')).toBe(0);
  });

  it('comes back after the index started over in another dialect', () => {
    writer.addModel(model, undefined);
    index.setDialect('silverbullet');
    expect(writer.models()).toEqual([]);
  });
});
