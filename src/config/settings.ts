import { basename } from 'node:path';
import { LecternError } from '../errors.ts';
import { type AiSetting, resolveAi } from './ai-setting.ts';
import { fromHome } from './file/place.ts';
import type { ConfigValues, FileVault } from './file/schema.ts';
import type { LogLevel } from './log.ts';
import type { SettingFlags } from './setting-rows.ts';
import { type Environment, SettingReader } from './setting-values.ts';
import { isSamePlace, parsePlace, type StorePlace } from './store-place.ts';

/** The settings of a server that are common to stdio and HTTP. */
export interface ServeSettings {
  /** At least one. Commands that work on one vault use the first. */
  readonly vaults: readonly VaultSetting[];
  /** Every vault named in the configuration file, in its order, served or not. */
  readonly known: readonly VaultPlace[];
  /** Base of indexes and journals; undefined = the platform's state folder. */
  readonly stateDir: string | undefined;
  readonly logLevel: LogLevel;
  /** Names of operations, or patterns. */
  readonly tools: GlobRule;
  /** Names of the toolsets listed initially; empty = the default ones. */
  readonly toolsets: readonly string[];
  /** Tools of catalogues by their own names, or patterns. */
  readonly toolSwitches: { readonly on: readonly string[]; readonly off: readonly string[] };
  /** The default catalogue. */
  readonly catalogue: string;
  /** Names or patterns of the catalogues served over HTTP. */
  readonly catalogues: GlobRule;
  readonly places: Places;
  readonly history: HistoryLimits;
  readonly ai: AiSetting;
}

/** Limits of undo: older or larger history is deleted. */
export interface HistoryLimits {
  readonly days: number;
  /** MiB of replaced text, as stored. */
  readonly megabytes: number;
}

/** Folders for notes of a kind, in every vault. */
export interface Places {
  /** Folder whose notes are prompts. */
  readonly prompts: string;
  /** Folder and name of daily notes, for vaults whose own program has no such setting. */
  readonly dailyNotes: { readonly folder: string; readonly format: string };
}

/** A vault's name and place; whether the place exists is not checked yet. */
export interface VaultPlace extends StorePlace {
  readonly name: string;
}

export interface VaultSetting extends VaultPlace {
  readonly rules: VaultRules;
}

export interface VaultRules {
  readonly readOnly: boolean;
  /** Globs of paths: what may be read, and what of it may be written. Empty allow = everything. */
  readonly read: GlobRule;
  readonly write: GlobRule;
}

/** Globs or names; `deny` takes precedence over `allow`, and an empty `allow` permits everything. */
export interface GlobRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** The flags as parsed from the command line. */
export interface ServeFlags extends SettingFlags {
  /** Folders, `name=folder`, or names of vaults in the configuration file. */
  readonly vault?: string | readonly string[];
  readonly config?: string;
}

/** A name, `=`, and a folder; a folder whose own name contains `=` is written as a path: `./a=b`. */
const NAMED = /^([\p{L}\p{N}][\p{L}\p{N}_-]{0,39})=(.+)$/su;

/**
 * Precedence: flags, environment, configuration file, defaults. An empty value counts as unset.
 *
 * @param file with absolute paths, from `parseConfig`
 * @throws LecternError `invalid_input` when no vault is named or a value is not allowed
 */
export function resolveSettings(
  flags: ServeFlags,
  environment: Environment,
  file: ConfigValues = {},
): ServeSettings {
  const setting = new SettingReader(flags, environment, file);
  const outside = new SettingReader(flags, environment);
  const state = outside.given('state');
  const known = vaultsIn(file);
  const vaults = chosenVaults(flags, environment, known).map(({ own, ...place }) => ({
    ...place,
    rules: rulesFor(own, setting, outside),
  }));
  return {
    vaults,
    known: known.map(({ own: _, ...place }) => place),
    // Relative folders in the file are resolved from the file, by `parseConfig`.
    stateDir: state === undefined ? setting.value('state') : fromHome(state, process.cwd()),
    logLevel: setting.value('log_level') as LogLevel,
    tools: { allow: setting.value('tools.allow'), deny: setting.value('tools.deny') },
    toolsets: setting.value('tools.sets'),
    toolSwitches: { on: setting.value('tools.on'), off: setting.value('tools.off') },
    catalogue: setting.value('catalogue'),
    catalogues: { allow: setting.value('catalogues.allow'), deny: setting.value('catalogues.deny') },
    places: {
      prompts: setting.value('prompts.folder'),
      dailyNotes: {
        folder: setting.value('daily_notes.folder'),
        format: setting.value('daily_notes.format'),
      },
    },
    ai: resolveAi(setting),
    history: { days: setting.value('history.days'), megabytes: setting.value('history.megabytes') },
  };
}

/**
 * The vault for a command that works on one.
 * @throws LecternError `invalid_input` when there are several to choose from
 */
export function onlyVault(settings: ServeSettings): VaultSetting {
  const names = settings.vaults.map(({ name }) => name);
  if (names.length === 1) return firstVault(settings);
  throw new LecternError('invalid_input', `There are several vaults: ${names.join(', ')}.`, {
    next: `Say which: --vault ${names[0]}.`,
  });
}

/**
 * The vault whose state folder contains the server's data: tokens, grants and the audit log. All vaults of
 * one configuration file use the same, whichever are served.
 */
export function serverVault(settings: ServeSettings): VaultPlace {
  const { vaults, known } = settings;
  const [first] = known;
  const all = vaults.every((vault) => known.some((other) => isSamePlace(vault, other)));
  return first !== undefined && all ? first : firstVault(settings);
}

/** The default vault. */
export function firstVault({ vaults }: ServeSettings): VaultSetting {
  const [vault] = vaults;
  if (vault === undefined) throw noVault();
  return vault;
}

/** The file's settings of one vault besides its folder. */
type OwnRules = Omit<FileVault, 'path'>;

interface Chosen extends VaultPlace {
  /** The file's settings for this vault alone. */
  readonly own: OwnRules;
}

/**
 * The vaults in the file.
 *
 * @throws LecternError `invalid_input` for two vaults in one folder, since it would be unclear whose rules
 *   apply
 */
function vaultsIn(file: ConfigValues): readonly Chosen[] {
  const vaults: readonly Chosen[] = Object.entries(file.vaults ?? {}).map(([name, vault]) =>
    typeof vault === 'string'
      ? { name, ...parsePlace(vault, process.cwd()), own: {} }
      : { name, ...parsePlace(vault.path, process.cwd()), own: vault },
  );
  for (const [at, vault] of vaults.entries()) {
    const twin = vaults.slice(0, at).find((other) => isSamePlace(other, vault));
    if (twin === undefined) continue;
    throw new LecternError(
      'invalid_input',
      `The vaults ${twin.name} and ${vault.name} of the configuration file are the same folder: ${twin.location}, ${vault.location}.`,
      { next: 'Keep one of them, with the rules that are meant.' },
    );
  }
  return vaults;
}

function chosenVaults(
  flags: ServeFlags,
  environment: Environment,
  known: readonly Chosen[],
): readonly Chosen[] {
  const flag = typeof flags.vault === 'string' ? [flags.vault] : (flags.vault ?? []);
  const set = first(environment.LECTERN_VAULT, environment.INDX_VAULT);
  const named = flag.filter((value) => value.trim() !== '');
  const given = named.length === 0 && set !== undefined ? [set] : named;
  // A space is given by its address alone, as in SilverBullet's own MCP server.
  const hasSpace = new SettingReader(flags, environment).given('silverbullet.url') !== undefined;
  if (given.length === 0 && known.length === 0 && hasSpace) return [chosenVault('silverbullet:', known)];
  const chosen = given.length === 0 ? known : given.map((text) => chosenVault(text, known));
  if (chosen.length === 0) throw noVault();
  for (const [at, vault] of chosen.entries()) {
    const { name, location } = vault;
    const twin = chosen.slice(0, at).find((other) => other.name === name || isSamePlace(other, vault));
    if (twin === undefined) continue;
    throw new LecternError(
      'invalid_input',
      `${twin.location} and ${location} cannot both be the vault ${name}.`,
      {
        next: 'Give each folder once, under a name of its own: --vault work=<folder>.',
      },
    );
  }
  return chosen;
}

/** Rules in the file for a folder apply however the folder is written. */
function chosenVault(text: string, known: readonly Chosen[]): Chosen {
  const byName = known.find(({ name }) => name === text);
  if (byName !== undefined) return byName;
  const [, name, path = text] = NAMED.exec(text) ?? [];
  const place = parsePlace(path, process.cwd());
  const same = known.find((vault) => isSamePlace(vault, place));
  return {
    name: name ?? same?.name ?? (place.kind === 'folder' ? nameOf(place.location) : place.kind),
    ...place,
    own: same?.own ?? {},
  };
}

function nameOf(location: string): string {
  const words = basename(location)
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^[_-]+|-+$/gu, '');
  return words.slice(0, 40) || 'vault';
}

/**
 * A denial for all vaults applies to each; any other setting of a vault overrides the general one.
 *
 * @param outside flags and environment only, which take precedence over the file's settings of one vault
 */
function rulesFor(own: OwnRules, setting: SettingReader, outside: SettingReader): VaultRules {
  const rule = (door: 'read' | 'write'): GlobRule => ({
    allow:
      outside.given(`paths.${door}.allow`) ??
      own.paths?.[door]?.allow ??
      setting.value(`paths.${door}.allow`),
    deny: [...setting.value(`paths.${door}.deny`), ...(own.paths?.[door]?.deny ?? [])],
  });
  return {
    readOnly: outside.given('read_only') ?? own.read_only ?? setting.value('read_only'),
    read: rule('read'),
    write: rule('write'),
  };
}

function noVault(): LecternError {
  return new LecternError('invalid_input', 'No vault was given.', {
    next: 'Add --vault <folder>, set LECTERN_VAULT to the folder your notes are in, or name it in the configuration file (lectern config path).',
  });
}

function first(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value.trim() !== '');
}
