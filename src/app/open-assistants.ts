import { EXTRACTIVE } from '../ai/extractive.ts';
import { type AiSetting, aiKey, isHosted } from '../config/ai-setting.ts';
import type { Log } from '../config/log.ts';
import type { Environment } from '../config/setting-values.ts';
import { placeIdentity, type StorePlace } from '../config/store-place.ts';
import { LecternError } from '../errors.ts';
import type { Assistants } from '../operations/call/assistants.ts';
import type { VaultSession } from '../vault/session.ts';
import type { Vault } from '../vault/vault.ts';
import { secretInKeychain } from './keychain.ts';

/** The assistants of a server, and the cache of their answers. */
export interface OpenAssistants {
  /** Undefined when no model and no extraction is configured. */
  readonly assistants: Assistants | undefined;
  /**
   * Removes cached answers when their notes change, including changes made while no server was running.
   *
   * @param home identifies the vault across runs
   * @param session must see every note that any caller may see
   */
  follow(home: string, session: VaultSession): Promise<void>;
}

export interface AssistantOptions {
  /** Contains the key. */
  readonly environment: Environment;
  /** The state folder of the server, created on first use. */
  readonly state: () => Promise<string>;
}

/**
 * Opens the assistants of the owner's settings. The code for models is loaded only when one is configured.
 *
 * @throws LecternError `invalid_input` when the provider needs a key and there is none
 */
export async function openAssistants(setting: AiSetting, options: AssistantOptions): Promise<OpenAssistants> {
  const { provider, baseUrl } = setting;
  if (provider === 'none' || provider === 'builtin') {
    return { assistants: provider === 'none' ? undefined : () => EXTRACTIVE, follow: async () => {} };
  }
  const key = isHosted(provider) ? (aiKey(options.environment) ?? (await secretInKeychain('ai'))) : undefined;
  if (isHosted(provider) && baseUrl === undefined && key === undefined)
    throw new LecternError(
      'invalid_input',
      `ai.provider is ${provider}, which answers callers with a key only.`,
      {
        next: 'Set LECTERN_AI_KEY, or say in the configuration file where it is: ai: { key: { file: … } }. Or put it into the keychain of the system, as the account ai of the service lectern.',
      },
    );
  const { openGenerative } = await import('./generative-assistants.ts');
  return openGenerative(setting, key, await options.state());
}

/** Follows each vault that is opened, once its index is complete; nothing waits for it. */
export function followedBy(ai: OpenAssistants, log: Log): (place: StorePlace, vault: Vault) => void {
  return (place, vault) => {
    vault
      .indexed()
      .then(() => ai.follow(placeIdentity(place), vault.session(FOLLOWER)))
      .catch((error: unknown) => log.debug({ err: error }, 'kept answers of models do not follow the notes'));
  };
}

const FOLLOWER = { kind: 'cli', name: 'lectern', session: 'kept answers' } as const;
