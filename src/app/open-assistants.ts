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

/** Who answers what asks a model, and what is kept of it. */
export interface OpenAssistants {
  /** Undefined where the settings say nobody. */
  readonly assistants: Assistants | undefined;
  /**
   * Drops kept answers when the notes they came from change, and those that changed while nobody looked.
   *
   * @param home where the vault is, by which it is known in the next run
   * @param session sees all that anybody may see
   */
  follow(home: string, session: VaultSession): Promise<void>;
}

export interface AssistantOptions {
  /** Has the key. */
  readonly environment: Environment;
  /** The state folder of the server, made when it is first needed. */
  readonly state: () => Promise<string>;
}

/**
 * Who answers what asks a model, as the owner's settings say. What models need is loaded where one is configured.
 *
 * @throws LecternError `invalid_input` where a provider that takes a key has none
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

/** For vaults as they are opened: following begins when the index is there, and nobody waits for it. */
export function followedBy(ai: OpenAssistants, log: Log): (place: StorePlace, vault: Vault) => void {
  return (place, vault) => {
    vault
      .indexed()
      .then(() => ai.follow(placeIdentity(place), vault.session(FOLLOWER)))
      .catch((error: unknown) => log.debug({ err: error }, 'kept answers of models do not follow the notes'));
  };
}

const FOLLOWER = { kind: 'cli', name: 'lectern', session: 'kept answers' } as const;
