import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { isLecternError } from '../errors.ts';
import { embedderKey, parseEmbedder, resolveEmbedder } from './embedder-setting.ts';
import { inUseFile } from './models-folder.ts';

describe('parseEmbedder', () => {
  it.each([
    ['local', { provider: 'local' }],
    [
      'ollama:nomic-embed-text',
      { provider: 'ollama', model: 'nomic-embed-text', baseUrl: 'http://127.0.0.1:11434' },
    ],
    [
      'ollama:bge-m3:latest@http://nas:11434/',
      { provider: 'ollama', model: 'bge-m3:latest', baseUrl: 'http://nas:11434' },
    ],
    [
      'openai:text-embedding-3-small',
      { provider: 'openai', model: 'text-embedding-3-small', baseUrl: 'https://api.openai.com/v1' },
    ],
    [
      'openai:org/name@v2@https://host/v1',
      { provider: 'openai', model: 'org/name@v2', baseUrl: 'https://host/v1' },
    ],
    ['model:potion-8M_v1.2', { provider: 'model', name: 'potion-8M_v1.2' }],
    ['model:./weights', { provider: 'model', folder: resolve('weights') }],
    ['model:~/weights', { provider: 'model', folder: join(homedir(), 'weights') }],
    ['model:/srv/weights', { provider: 'model', folder: resolve('/srv/weights') }],
  ])('reads %s', (text, wanted) => {
    expect(parseEmbedder(text)).toEqual(wanted);
  });

  it.each([
    '',
    'LOCAL',
    'local:',
    'ollama',
    'ollama:',
    'ollama:@http://host',
    'openai:m@https://',
    'openai:m@https://host/v1?key=1',
    'model:',
    'model:in-use',
    'model:-rf',
    'model:..x',
    'model:two words',
    'cohere:x',
  ])('refuses %j', (text) => {
    expect(() => parseEmbedder(text)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('refuses a password in the address without repeating it', () => {
    const error = caught(() => parseEmbedder('openai:m@https://user:hunter2@host/v1'));
    expect(error).toMatchObject({ code: 'invalid_input' });
    expect(JSON.stringify([String(error), error])).not.toContain('hunter2');
  });

  it('answers every text with a setting or with invalid_input', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .tuple(fc.constantFrom('ollama:', 'openai:', 'model:'), fc.string())
            .map((parts) => parts.join('')),
        ),
        (text) => {
          const error = caught(() => parseEmbedder(text));
          expect(error === undefined || (isLecternError(error) && error.code === 'invalid_input')).toBe(true);
        },
      ),
    );
  });
});

describe('resolveEmbedder', () => {
  const home = mkdtempSync(join(tmpdir(), 'lectern-embedder-'));
  afterEach(() => rmSync(join(home, 'lectern'), { recursive: true, force: true }));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const environment = { XDG_STATE_HOME: home };
  const choose = (text: string) => {
    mkdirSync(dirname(inUseFile(environment)), { recursive: true });
    writeFileSync(inUseFile(environment), text);
  };

  it('is local when nothing is said', () => {
    expect(resolveEmbedder({}, environment)).toEqual({ provider: 'local' });
  });

  it('takes the flag before the environment, and that before the chosen model', () => {
    choose('potion\n');
    const both = { ...environment, LECTERN_EMBEDDER: 'model:other' };
    expect(resolveEmbedder({ embedder: 'local' }, both)).toEqual({ provider: 'local' });
    expect(resolveEmbedder({ embedder: ' ' }, both)).toEqual({ provider: 'model', name: 'other' });
    expect(resolveEmbedder({}, environment)).toEqual({ provider: 'model', name: 'potion' });
  });

  it('does not follow a choice that is no name', () => {
    choose('../../elsewhere');
    expect(resolveEmbedder({}, environment)).toEqual({ provider: 'local' });
  });
});

it('keeps the key out of the setting', () => {
  const environment = { LECTERN_EMBEDDER: 'openai:m', LECTERN_EMBEDDER_KEY: ' sk-secret ' };
  expect(embedderKey(environment)).toBe('sk-secret');
  expect(embedderKey({ LECTERN_EMBEDDER_KEY: ' ' })).toBeUndefined();
  expect(JSON.stringify(resolveEmbedder({}, environment))).not.toContain('secret');
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
