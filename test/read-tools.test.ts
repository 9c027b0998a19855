import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLIENTS,
  compareBacklinks,
  compareLinks,
  compareNote,
  compareOrphans,
  compareSearch,
  compareTags,
  compareUnresolved,
  countPlainly,
  Reading,
  textsBelow,
} from './support/read-tools.ts';

/** Every read tool on the sample vault, through a real client, against a count by simple means. */

const SAMPLE = fileURLToPath(new URL('../sample-vault', import.meta.url));
const texts = textsBelow(SAMPLE);
const plain = countPlainly(texts);

describe('the sample vault through the SDK client', () => {
  let state: string;
  let reading: Reading;
  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'lectern-read-tools-'));
    const [pinned] = CLIENTS;
    if (pinned === undefined) throw new Error('There is no client.');
    reading = await Reading.open(pinned, SAMPLE, state);
  });
  afterAll(async () => {
    await reading.close();
    rmSync(state, { recursive: true, force: true });
  });

  it('has the files that are there', async () => {
    const status = await reading.ask('vault_status');
    expect(status).toMatchObject({ notes: plain.notes.length, files: plain.files.length });
    const listed = await reading.all('note_list', 'notes');
    expect(listed.map((note) => note.path).sort()).toEqual([...plain.notes].sort());
  });

  it('reads each note as its file has it', async () => {
    for (const path of plain.notes)
      expect(await compareNote(reading, path, texts.get(path) ?? '')).toEqual([]);
  });

  it('agrees on links, tags and words', async () => {
    expect((await compareLinks(reading, plain, 1)).differences).toEqual([]);
    expect((await compareBacklinks(reading, plain, 20)).differences).toEqual([]);
    expect((await compareTags(reading, plain)).differences).toEqual([]);
    expect((await compareUnresolved(reading, plain)).differences).toEqual([]);
    expect((await compareOrphans(reading, plain)).differences).toEqual([]);
    expect((await compareSearch(reading, texts, 30)).differences).toEqual([]);
  });
});
