import { LecternError } from '../errors.ts';
import type { Actor } from './actor.ts';

/** One setting and its current value. */
export interface Setting {
  /** As in the configuration file: `http.port`, `vaults.home.read_only`. */
  readonly setting: string;
  /** Null when nothing is set; for lists, empty. Secrets and values hidden from this caller are masked. */
  readonly value: string | number | boolean | readonly string[] | null;
  /** `combined`: the vault's own rules and the general ones together. */
  readonly origin: 'default' | 'file' | 'environment' | 'flag' | 'combined';
  /** Flag, variable or line of the file; absent when none applies or this caller may not know it. */
  readonly where?: string;
  /** When a change takes effect. */
  readonly effect: 'at once' | 'next start';
  /** Whether this caller may change it. */
  readonly changeable: boolean;
  /** The running server still uses another value. */
  readonly pending?: true;
}

export interface SettingsShown {
  /** Path of the configuration file; absent when this caller may not know it. */
  readonly file?: string;
  readonly settings: readonly Setting[];
  readonly notice?: string;
}

export interface SettingChange {
  readonly setting: string;
  /** The value as a user writes it; undefined removes the setting from the file. */
  readonly value: string | undefined;
  readonly dryRun: boolean;
}

export interface SettingChanged {
  readonly setting: string;
  /** The previous value in the file; null when there was none. Masked as in {@link Setting}. */
  readonly previous: Setting['value'];
  /** The value now in the file. */
  readonly value: Setting['value'];
  readonly changed: boolean;
  readonly effect: Setting['effect'];
  readonly notices: readonly string[];
}

/** The settings of a server, as far as one caller may see and change them. */
export interface Configuration {
  settings(): Promise<SettingsShown>;
  /**
   * Changes one setting in the configuration file after validating the whole result.
   * @throws LecternError `forbidden` for settings only the owner may change, `invalid_input` when no server
   *   would accept the result, `conflict` when the file cannot be edited at that place
   */
  change(change: SettingChange): Promise<SettingChanged>;
}

/** The configuration a server provides to its vaults, per caller. */
export type ConfigurationFor = (actor: Actor) => Configuration;

/** Used by a vault opened without a server. */
export const NO_CONFIGURATION: Configuration = {
  settings: () => Promise.reject(noConfiguration()),
  change: () => Promise.reject(noConfiguration()),
};

function noConfiguration(): LecternError {
  return new LecternError('unavailable', 'There are no settings here.');
}
