import { afterEach, expect, test } from 'vitest';
import { openVectorWriter } from '../../index/sqlite/vectors/writer.ts';
import { learnModel } from '../../search/embed/local-lsa/learn.ts';
import { type EmbeddingFixture, embeddingFixture, subjectVault } from '../../search/embed/testing.ts';
import { Pacer } from '../../search/pacer.ts';
import { learnInThread } from './learn-thread.ts';

let fixture: EmbeddingFixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

const never = new AbortController().signal;

test('the thread learns what would be learned here', async () => {
  fixture = embeddingFixture(subjectVault());
  const vectors = openVectorWriter(fixture.path);
  const notes = vectors.mixed().map(({ note }) => note);
  const here = await learnModel(vectors, notes, 'obsidian', new Pacer(Number.POSITIVE_INFINITY));
  vectors.close();
  const there = await learnInThread({ indexPath: fixture.path, dialect: 'obsidian', notes }, never);
  expect(there?.passages).toBe(80);
  expect(there?.teachers).toHaveLength(80);
  expect(there).toEqual(here);
});

test('too little text is no failure, an index that cannot be read is one, and a stop is a stop', async () => {
  fixture = embeddingFixture({ 'A.md': 'one two' });
  const data = { indexPath: fixture.path, dialect: 'obsidian', notes: [1] } as const;
  expect(await learnInThread(data, never)).toBeUndefined();
  const nowhere = { ...data, indexPath: `${fixture.path}/no/index.db` };
  await expect(learnInThread(nowhere, never)).rejects.toMatchObject({ code: 'unavailable' });
  const stop = new AbortController();
  const stopped = learnInThread(data, stop.signal);
  stop.abort(new Error('closed'));
  await expect(stopped).rejects.toThrow('closed');
});

test('stopped at any moment it leaves nothing behind: not half a model, not a thread, not a dead process', async () => {
  fixture = embeddingFixture(subjectVault());
  const vectors = openVectorWriter(fixture.path);
  const notes = vectors.mixed().map(({ note }) => note);
  vectors.close();
  const data = { indexPath: fixture.path, dialect: 'obsidian', notes } as const;
  for (let after = 0; after < 160; after += 10) {
    const stop = new AbortController();
    const learned = learnInThread(data, stop.signal);
    setTimeout(() => stop.abort(new Error('closed')), after);
    const outcome = await learned.catch((error: Error) => error.message);
    expect(outcome).toSatisfy((one) => one === 'closed' || one?.passages === 80);
  }
});
