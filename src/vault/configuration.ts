import { LecternError } from '../errors.ts';
import type { Actor } from './actor.ts';

/** One setting of the server as it holds. */
export interface Setting {
  /** As in the configuration file: `http.port`, `vaults.home.read_only`. */
  readonly setting: string;
  /** Null when nothing is set; lists are empty then. Secrets, and what this caller may not know, are masked. */
  readonly value: string | number | boolean | readonly string[] | null;
  /** `combined`: the vault's own rules and the general ones together. */
  readonly origin: 'default' | 'file' | 'environment' | 'flag' | 'combined';
  /** Flag, variable or line of the file; absent when it is none, or not for this caller. */
  readonly where?: string;
  /** When a change takes effect. */
  readonly effect: 'at once' | 'next start';
  /** Whether this caller may change it. */
  readonly changeable: boolean;
  /** The server still runs with another value. */
  readonly pending?: true;
}

export interface SettingsShown {
  /** Place of the configuration file; absent when it is not for this caller. */
  readonly file?: string;
  readonly settings: readonly Setting[];
  readonly notice?: string;
}

export interface SettingChange {
  readonly setting: string;
  /** As a person writes it; undefined takes the setting out of the file. */
  readonly value: string | undefined;
  readonly dryRun: boolean;
}

export interface SettingChanged {
  readonly setting: string;
  /** What the file said; null when it said nothing. Masked as in {@link Setting}. */
  readonly previous: Setting['value'];
  /** What the file says now. */
  readonly value: Setting['value'];
  readonly changed: boolean;
  readonly effect: Setting['effect'];
  readonly notices: readonly string[];
}

/** The settings of a server, as one caller may know and change them. */
export interface Configuration {
  settings(): Promise<SettingsShown>;
  /**
   * Changes the configuration file in this one place, after making sure that the whole is good.
   * @throws LecternError `forbidden` for what only the owner may change, `invalid_input` for what no server would
   *   take, `conflict` when the file cannot be changed there
   */
  change(change: SettingChange): Promise<SettingChanged>;
}

/** What a server gives its vaults: the configuration, for each caller. */
export type ConfigurationFor = (actor: Actor) => Configuration;

/** For a vault that was opened by itself, without a server and its settings. */
export const NO_CONFIGURATION: Configuration = {
  settings: () => Promise.reject(noConfiguration()),
  change: () => Promise.reject(noConfiguration()),
};

function noConfiguration(): LecternError {
  return new LecternError('unavailable', 'There are no settings here.');
}
