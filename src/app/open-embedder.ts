import { join } from 'node:path';
import { type EmbedderSetting, embedderKey, resolveEmbedder } from '../config/embedder-setting.ts';
import { modelsFolder } from '../config/models-folder.ts';
import type { SettingFlags } from '../config/setting-rows.ts';
import { LecternError } from '../errors.ts';
import type { Embedder } from '../search/embed/embedder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting with the environment that contains its key, as passed to a thread. */
export interface EmbedderChoice {
  readonly setting: EmbedderSetting;
  readonly environment: Environment;
}

/**
 * @returns undefined for the default
 * @throws LecternError `invalid_input` for a setting that names no embedder
 */
export function chosenEmbedder(flags: SettingFlags, environment: Environment): EmbedderChoice | undefined {
  const setting = resolveEmbedder(flags, environment);
  return setting.provider === 'local' ? undefined : { setting, environment: { ...environment } };
}

/**
 * Opens the embedder of a setting. A provider's code is loaded when it is chosen.
 *
 * @returns undefined for `local`: the vectors learned from the vault need no other embedder
 * @throws LecternError `unavailable` when an endpoint does not answer or a runtime is not installed,
 *   `not_found` for a missing model, `invalid_input` for a broken one and for OpenAI's own endpoint without a
 *   key
 */
export async function openEmbedder(
  setting: EmbedderSetting,
  environment: Environment = process.env,
): Promise<Embedder | undefined> {
  switch (setting.provider) {
    case 'local':
      return undefined;
    case 'ollama': {
      const { ollamaEmbedder } = await import('../search/embed/neural/ollama.ts');
      return ollamaEmbedder({ baseUrl: setting.baseUrl, model: setting.model });
    }
    case 'openai': {
      const { openAiEmbedder } = await import('../search/embed/neural/openai.ts');
      const apiKey = embedderKey(environment);
      const { baseUrl, model } = setting;
      if (apiKey === undefined && new URL(baseUrl).hostname === 'api.openai.com')
        throw new LecternError('invalid_input', 'OpenAI makes embeddings for callers with a key only.', {
          next: 'Set LECTERN_EMBEDDER_KEY, or give the address of another endpoint: openai:<model>@<url>.',
        });
      return openAiEmbedder({ baseUrl, model, ...(apiKey !== undefined && { apiKey }) });
    }
    case 'model': {
      const { openModelThread } = await import('./threads/model-thread.ts');
      if ('folder' in setting) return openModelThread(setting.folder);
      return openModelThread(join(modelsFolder(environment), setting.name), setting.name);
    }
  }
}
