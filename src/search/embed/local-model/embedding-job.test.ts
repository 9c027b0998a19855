import { afterEach, expect, it } from 'vitest';
import { neuralModelId } from '../model-ids.ts';
import { type EmbeddingFixture, embeddingFixture, subjectVault } from '../testing.ts';
import { modelFolder, staticModelFiles } from './model-folder.testing.ts';
import { openLocalModel } from './open.ts';

let fixture: EmbeddingFixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

it('fills an index with the vectors of a local model, which then are searched with', async () => {
  const model = await openLocalModel(modelFolder(staticModelFiles()), 'tiny');
  fixture = embeddingFixture(
    { ...subjectVault(), 'Soil.md': '# Garden\n\ngarden soil\n', 'Disk.md': '# Server\n\ndisk server\n' },
    model,
  );
  await fixture.embed();
  const { models } = await fixture.vectors.status();
  expect(models).toContainEqual(
    expect.objectContaining({ id: neuralModelId(model), kind: 'neural', dimensions: 2, state: 'active' }),
  );
  const spaces = await fixture.passages.spaces();
  expect(spaces).toMatchObject({ vectors: { id: neuralModelId(model) }, notice: undefined });
});
