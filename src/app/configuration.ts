import { removeFromConfig, setInConfig } from '../config/file/edit.ts';
import { type ConfigFile, parseConfig } from '../config/file/parse.ts';
import { configPlace } from '../config/file/place.ts';
import { readConfigText, replaceConfig } from '../config/file/replace.ts';
import { settingsFromText, settingWarnings } from '../config/load.ts';
import { fileValue } from '../config/setting-rows.ts';
import { type SettingTarget, settingTarget, valueFrom } from '../config/setting-target.ts';
import { resolveSettings } from '../config/settings.ts';
import {
  type GivenFlags,
  MASK,
  namesVault,
  type ShownSetting,
  shownSettings,
  typed,
} from '../config/shown-settings.ts';
import { isLecternError, LecternError } from '../errors.ts';
import type {
  Configuration,
  ConfigurationFor,
  Setting,
  SettingChange,
  SettingChanged,
  SettingsShown,
} from '../vault/configuration.ts';
import type { Actor } from '../vault/session.ts';
import { checkSetting, startProblem } from './configuration-check.ts';
import type { LiveSettings } from './live-settings.ts';

export interface ConfigurationOptions {
  readonly flags: GivenFlags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Base folder of relative paths, for a user at the command line; undefined = the file's own folder. */
  readonly from?: string;
  /** The settings of a running server; undefined for a command. */
  readonly live?: () => LiveSettings;
}

/** The owner's settings for one caller: all of them at the command line, a few for others. */
export function configurationOf(options: ConfigurationOptions): ConfigurationFor {
  let turn: Promise<unknown> = Promise.resolve();
  return (actor): Configuration => ({
    settings: () => settingsFor(actor, options),
    change(change) {
      const done = turn.then(() => changeFor(actor, change, options));
      turn = done.catch(() => {});
      return done;
    },
  });
}

/** A user who can run commands here owns the file; every other caller was admitted by its rules. */
function isOwner({ kind }: Actor): boolean {
  return kind === 'cli';
}

async function settingsFor(actor: Actor, options: ConfigurationOptions): Promise<SettingsShown> {
  const { flags, environment } = options;
  const live = options.live?.();
  const { path, named } = configPlace(flags.config, environment);
  let file = live?.file;
  if (live === undefined) {
    const source = await readConfigText(path);
    if (source === undefined && named) throw noSuchFile(path);
    file = source === undefined ? undefined : parseConfig(source, path);
  }
  const settings =
    live?.current ??
    (namesVault(flags, environment, file) ? resolveSettings(flags, environment, file?.values) : undefined);
  const rows = shownSettings(flags, environment, file, settings);
  const started = live && shownSettings(flags, environment, live.started, undefined);
  const owner = isOwner(actor);
  return {
    ...(owner && { file: path }),
    settings: rows.filter((row) => owner || isForOthers(row)).map((row) => settingOf(row, owner, started)),
    ...(live?.problem !== undefined && {
      notice: 'The configuration file is not in order; what is shown here is in force all the same',
    }),
  };
}

/** Which vaults exist, and their rules, are not reported here. */
function isForOthers({ setting }: ShownSetting): boolean {
  return !/^vaults(?:\.|$)/.test(setting);
}

function settingOf(row: ShownSetting, owner: boolean, started: readonly ShownSetting[] | undefined): Setting {
  const { setting, live, agent, origin, where } = row;
  const before = started?.find((other) => other.setting === setting);
  const pending = !live && before !== undefined && JSON.stringify(before.value) !== JSON.stringify(row.value);
  return {
    setting,
    value: owner || agent !== 'nothing' ? row.value : MASK,
    origin,
    ...(where !== undefined && (owner || origin !== 'file') && { where }),
    effect: live ? 'at once' : 'next start',
    changeable: owner || agent === 'sets',
    ...(pending && { pending }),
  };
}

async function changeFor(
  actor: Actor,
  { setting, value, dryRun }: SettingChange,
  options: ConfigurationOptions,
): Promise<SettingChanged> {
  const target = settingTarget(setting);
  const owner = isOwner(actor);
  if (!owner && target.agent !== 'sets') throw forOwnerOnly(target);
  const wanted = value === undefined ? undefined : valueFrom(target, value, options.from);
  const { path } = configPlace(options.flags.config, options.environment);
  const source = await readConfigText(path);
  const before = await wholeFile(source ?? '', path, options, owner);
  const text =
    wanted === undefined
      ? removeFromConfig(source ?? '', target.key)
      : setInConfig(source ?? '', target.key, wanted);
  const changed = text !== (source ?? '');
  const after = changed ? await changedFile(text, path, target, options) : before;
  if (changed && !dryRun) {
    await replaceConfig(path, source, text);
    await options.live?.().refresh();
  }
  return {
    setting: target.setting,
    previous: valueIn(before, target),
    value: valueIn(after, target),
    changed,
    effect: target.live ? 'at once' : 'next start',
    notices: await noticesFor(target, after, options),
  };
}

/** The current file must be valid, so that a change is not blamed for an earlier error. */
async function wholeFile(
  source: string,
  path: string,
  { flags, environment }: ConfigurationOptions,
  owner: boolean,
): Promise<ConfigFile> {
  try {
    const file = parseConfig(source, path);
    if (namesVault(flags, environment, file)) await settingsFromText(source, path, flags, environment);
    return file;
  } catch (error) {
    if (owner) throw error;
    throw new LecternError('conflict', 'The configuration file is not in order.', {
      next: 'Ask the owner to correct it first.',
    });
  }
}

async function changedFile(
  text: string,
  path: string,
  target: SettingTarget,
  { flags, environment }: ConfigurationOptions,
): Promise<ConfigFile> {
  try {
    const file = parseConfig(text, path);
    const settings = namesVault(flags, environment, file)
      ? (await settingsFromText(text, path, flags, environment)).settings
      : undefined;
    await checkSetting(target, file, settings);
    return file;
  } catch (error) {
    if (!isLecternError(error)) throw error;
    // Its position in a text that is never written would be misleading.
    const message = error.message.startsWith(path)
      ? error.message.slice(path.length).replace(/^(?::\d+)?: /, '')
      : error.message;
    throw new LecternError(error.code, message, {
      details: { setting: target.setting },
      ...(error.next !== undefined && { next: error.next }),
    });
  }
}

function valueIn(file: ConfigFile, { key, kind }: SettingTarget): Setting['value'] {
  const value = fileValue(file.values, key);
  if (value === undefined) return null;
  if (typeof value === 'object' && value !== null && 'path' in value) return String(value.path);
  return typed(value, kind);
}

async function noticesFor(
  { setting, row, live: isLive }: SettingTarget,
  file: ConfigFile,
  { flags, environment }: ConfigurationOptions,
): Promise<readonly string[]> {
  const notices: string[] = [];
  const shown = shownSettings(flags, environment, file, undefined).find((each) => each.setting === setting);
  if (shown?.where !== undefined && (shown.origin === 'flag' || shown.origin === 'environment')) {
    const what = shown.origin === 'flag' ? 'The flag' : 'The variable';
    notices.push(`${what} ${shown.where} stands above the file: what it says holds until it is gone`);
  }
  if (row?.key[0] === 'daily_notes')
    notices.push('Vaults whose own program has a place for daily notes go by that');
  // Reasons about owner-only settings are given to the owner only.
  if (/^embedder/.test(setting))
    notices.push(...settingWarnings(flags, environment, file.values).map((said) => said.replace(/\.$/, '')));
  const problem = isLive ? undefined : await startProblem(file, flags, environment);
  if (problem !== undefined) notices.push(`As it stands no server would start: ${problem}`);
  return notices;
}

function forOwnerOnly({ setting }: SettingTarget): LecternError {
  return new LecternError('forbidden', `Only the owner may change ${setting}.`, {
    details: { setting },
    next: `Ask the owner to run lectern config set ${setting} on the machine the server runs on.`,
  });
}

function noSuchFile(path: string): LecternError {
  return new LecternError('unavailable', `The configuration file ${path} cannot be read.`, {
    next: 'Check the path given with --config or LECTERN_CONFIG.',
  });
}
