import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbedderSetting, embedderKey, resolveEmbedder } from '../../../config/embedder-setting.ts';
import { modelsFolder } from '../../../config/models-folder.ts';
import { isLecternError } from '../../../errors.ts';
import { inspectModel } from '../../../search/embed/local-model/layout.ts';
import { type Check, type Finding, ok, problem, said } from '../check.ts';
import type { DoctorContext } from '../context.ts';

const LIMIT_MS = 3000;

/**
 * Checks the embedding model that is used besides the vectors learned from the vault, if one is configured.
 */
export const embedder: Check = {
  name: 'embedder',
  async run(context) {
    const { flags, environment } = context;
    let setting: EmbedderSetting;
    try {
      setting = resolveEmbedder(flags, environment);
    } catch {
      // An invalid value is reported by the check of the settings.
      return [];
    }
    return [...unfinished(context), await chosen(context, setting)];
  },
};

/** Finds the rest of an interrupted download. */
function unfinished({ environment }: DoctorContext): readonly Finding[] {
  let names: readonly string[];
  try {
    names = readdirSync(modelsFolder(environment)).filter((name) => name.startsWith('.incoming-'));
  } catch {
    return [];
  }
  if (names.length === 0) return [];
  return [
    problem(
      'embedder.unfinished',
      'A model was not copied to its end, and takes room.',
      `Delete what begins with .incoming- in ${modelsFolder(environment)}.`,
    ),
  ];
}

async function chosen({ environment, privates }: DoctorContext, setting: EmbedderSetting): Promise<Finding> {
  if (setting.provider === 'local')
    return ok('embedder.local', 'Search by meaning uses what it learns from the vault; no model is needed.');
  if (setting.provider === 'model') {
    const folder = 'folder' in setting ? setting.folder : join(modelsFolder(environment), setting.name);
    privates.add('path', folder);
    try {
      const { kind } = await inspectModel(folder);
      return ok('embedder.model', `The model in ${folder} is there (${kind}).`);
    } catch (error) {
      const next = isLecternError(error) ? error.next : undefined;
      return problem(
        'embedder.model_missing',
        `The embedding model cannot be used: ${said(error)}.`,
        next ?? 'Add it again with lectern model add.',
      );
    }
  }
  const { baseUrl, provider, model } = setting;
  privates.add('address', new URL(baseUrl).hostname);
  if (
    provider === 'openai' &&
    embedderKey(environment) === undefined &&
    new URL(baseUrl).hostname === 'api.openai.com'
  )
    return problem(
      'embedder.no_key',
      'The embedder is OpenAI’s, and there is no key for it.',
      'Set LECTERN_EMBEDDER_KEY.',
    );
  try {
    await (
      await fetch(baseUrl, { signal: AbortSignal.timeout(LIMIT_MS), redirect: 'manual' })
    ).body?.cancel();
    return ok('embedder.answers', `The embedder ${provider}:${model} answers.`);
  } catch {
    return problem(
      'embedder.unreachable',
      `The embedder does not answer at ${baseUrl}: search by meaning goes on without it.`,
      provider === 'ollama' ? 'Start Ollama.' : 'Check the address after @ in the setting embedder.',
    );
  }
}
