import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { LecternError } from '../errors.ts';
import { isModelName, modelInUse } from './models-folder.ts';
import type { SettingFlags } from './setting-rows.ts';
import { type Environment, SettingReader } from './setting-values.ts';

/**
 * The embedder used in addition to the vectors learned from the vault. Plain data without secrets: it may be
 * logged and sent to a thread. The key of an endpoint stays in the environment, see {@link embedderKey}.
 */
export type EmbedderSetting =
  | { readonly provider: 'local' }
  | { readonly provider: 'ollama' | 'openai'; readonly model: string; readonly baseUrl: string }
  | { readonly provider: 'model'; readonly name: string }
  | { readonly provider: 'model'; readonly folder: string };

/** Default address of each provider. */
const BASE_URLS = { ollama: 'http://127.0.0.1:11434', openai: 'https://api.openai.com/v1' } as const;

const FORMS = 'Use local, ollama:<model>[@url], openai:<model>[@url], or model:<name or folder>.';

/**
 * The embedder of a server. `--embedder` takes precedence over LECTERN_EMBEDDER, and that over the model that
 * `lectern model use` chose; without any of them it is `local`.
 *
 * @throws LecternError `invalid_input` for a value in none of {@link FORMS}
 */
export function resolveEmbedder(flags: SettingFlags, environment: Environment): EmbedderSetting {
  const text = new SettingReader(flags, environment).value('embedder');
  if (text !== undefined) return parseEmbedder(text);
  const name = modelInUse(environment);
  return name === undefined ? { provider: 'local' } : { provider: 'model', name };
}

/** Parses an embedder. @throws LecternError `invalid_input` for a value in none of {@link FORMS} */
export function parseEmbedder(text: string): EmbedderSetting {
  const [, provider, rest = ''] = /^(local|ollama|openai|model)(?::(.*))?$/s.exec(text) ?? [];
  if (provider === 'local' && text === 'local') return { provider };
  if (provider === 'model' && rest !== '') return localModel(rest);
  if ((provider === 'ollama' || provider === 'openai') && rest !== '') return endpoint(provider, rest);
  throw invalid(`${JSON.stringify(text)} names no embedder.`);
}

/** Whether requests of the named embedder contain {@link embedderKey}. */
export function takesKey(text: string): boolean {
  return text.startsWith('openai:');
}

/** The secret for `openai:` endpoints; undefined when none is set. Never put it into a setting, log or error. */
export function embedderKey(environment: Environment): string | undefined {
  return new SettingReader({}, environment).value('embedder_key');
}

function localModel(text: string): EmbedderSetting {
  if (isModelName(text)) return { provider: 'model', name: text };
  // `~` is not expanded in the JSON files in which clients keep their servers.
  if (text === '~' || /^~[\\/]/.test(text))
    return { provider: 'model', folder: resolve(homedir() + text.slice(1)) };
  if (/[\\/]/.test(text) || /^\.{1,2}$/.test(text)) return { provider: 'model', folder: resolve(text) };
  throw invalid(`${JSON.stringify(text)} is neither a model's name nor a folder.`);
}

/** Model names may contain colons, slashes and at signs; only `@http…` starts an address. */
function endpoint(provider: 'ollama' | 'openai', text: string): EmbedderSetting {
  const at = text.search(/@https?:/i);
  const model = at < 0 ? text : text.slice(0, at);
  const address = at < 0 ? BASE_URLS[provider] : text.slice(at + 1);
  if (model.trim() === '' || /[\s\p{Cc}]/u.test(model))
    throw invalid(`${JSON.stringify(text)} names no model.`);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '')
    throw invalid(`${JSON.stringify(address)} is no address of an embedder.`);
  // Addresses are logged and shown in errors; the message must not repeat this one.
  if (url.username !== '' || url.password !== '')
    throw new LecternError('invalid_input', 'The address of an embedder cannot hold a name or password.', {
      next: 'Put the key into LECTERN_EMBEDDER_KEY.',
    });
  return { provider, model, baseUrl: url.href.replace(/\/+$/, '') };
}

function invalid(message: string): LecternError {
  return new LecternError('invalid_input', message, { next: FORMS });
}
