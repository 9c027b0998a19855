import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLeniently } from '../../config/file/lenient.ts';
import type { ConfigFile } from '../../config/file/parse.ts';
import { configPlace } from '../../config/file/place.ts';
import { type HttpFlags, type HttpSettings, resolveHttpSettings } from '../../config/http-settings.ts';
import { layered, loadSettings } from '../../config/load.ts';
import {
  resolveSettings,
  type ServeFlags,
  type ServeSettings,
  serverVault,
  type VaultSetting,
} from '../../config/settings.ts';
import { stateHome, vaultStatePath } from '../../config/state-folder.ts';
import { placeIdentity } from '../../config/store-place.ts';
import { withSecrets } from '../../config/store-secrets.ts';
import { isLecternError, LecternError } from '../../errors.ts';
import { Privates } from './privates.ts';
import { type VaultWalk, walkVault } from './walk.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A server entry in the configuration of a client. */
export interface ClientUse {
  /** Name of the client. */
  readonly client: string;
  /** Path of its configuration file. */
  readonly file: string;
  /** Why the file cannot be read; the other fields are then empty. */
  readonly problem?: string;
  /** Name of the server in that file. */
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Inputs from outside the process, which tests replace. */
export interface DoctorSources {
  readonly nodeVersion: string;
  readonly platform: NodeJS.Platform;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Id of the user that the process runs as; undefined on platforms without one. */
  readonly user: number | undefined;
  /** The folder `/proc` of Linux. */
  readonly proc: string;
  /** Free space for this user, bytes, and the number of the file system. */
  space(path: string): Promise<{ readonly free: number; readonly type: number }>;
  /** Loads a package by name. */
  load(name: string): Promise<unknown>;
  /** The server entries of this machine's clients; undefined when they cannot be determined. */
  clients(): Promise<readonly ClientUse[] | undefined>;
}

export const MACHINE: Omit<DoctorSources, 'clients'> = {
  nodeVersion: process.versions.node,
  platform: process.platform,
  now: Date.now,
  user: process.getuid?.(),
  proc: '/proc',
  async space(path) {
    const { bavail, bsize, type } = await statfs(path);
    return { free: Number(bavail) * Number(bsize), type: Number(type) };
  },
  load: (name) => import(name),
};

/** A vault and its state folder. */
export interface DoctorVault extends VaultSetting {
  readonly state: string;
}

/** Data for all checks. What could not be read is undefined and reported in `problems`. */
export interface DoctorContext extends DoctorSources {
  readonly flags: ServeFlags & HttpFlags;
  readonly environment: Environment;
  readonly privates: Privates;
  readonly configPath: string;
  /** The valid part of the file. */
  readonly file: ConfigFile | undefined;
  /** Errors in the settings. */
  readonly problems: readonly LecternError[];
  readonly warnings: readonly string[];
  readonly settings: ServeSettings | undefined;
  readonly http: HttpSettings | undefined;
  readonly vaults: readonly DoctorVault[];
  /** The state folder of the server's own files: tokens, grants, the audit log. */
  readonly serverState: string | undefined;
  /** Parent of the vaults' state folders. */
  readonly stateBase: string;
  /** Lists the files of a vault that is a folder; once for all checks. */
  walk(vault: DoctorVault): Promise<VaultWalk>;
}

/** Reads the settings as far as possible. Creates and changes nothing. */
export async function doctorContext(
  flags: ServeFlags & HttpFlags,
  environment: Environment,
  sources: DoctorSources,
): Promise<DoctorContext> {
  const privates = new Privates(environment);
  const place = configPlace(flags.config, environment, sources.platform);
  const problems: LecternError[] = [];
  const note = (error: unknown) => {
    const known = isLecternError(error)
      ? error
      : new LecternError('internal', `The settings cannot be read: ${String(error)}.`);
    if (!problems.some(({ message }) => message === known.message)) problems.push(known);
  };
  const file = await fileAt(place, note);
  let settings: ServeSettings | undefined;
  let warnings: readonly string[] = [];
  let complete = environment;
  try {
    ({ settings, warnings, environment: complete } = await loadSettings(flags, environment));
  } catch (error) {
    note(error);
    try {
      // A missing secret does not prevent the other checks.
      const bare = resolveSettings(flags, environment, file?.values);
      settings = withSecrets(bare, flags, environment, file?.values ?? {});
      complete = await layered(environment, withoutSecrets(file), flags, settings);
    } catch (again) {
      note(again);
    }
  }
  let http: HttpSettings | undefined;
  try {
    http = resolveHttpSettings(flags, complete);
  } catch (error) {
    note(error);
  }
  const stateBase = settings?.stateDir ?? join(stateHome(environment, sources.platform), 'lectern');
  const stateOf = (vault: Parameters<typeof placeIdentity>[0]) =>
    vaultStatePath(placeIdentity(vault), settings?.stateDir, environment);
  const vaults = (settings?.vaults ?? []).map((vault) => ({ ...vault, state: stateOf(vault) }));
  for (const vault of vaults) {
    privates.add('path', vault.state);
    privates.add('vault', vault.location);
    privates.add('vault', vault.name);
  }
  for (const { location, name } of settings?.known ?? []) {
    privates.add('vault', location);
    privates.add('vault', name);
  }
  // An invalid file is included too: its errors may name them.
  for (const [name, vault] of Object.entries(file?.values.vaults ?? {})) {
    privates.add('vault', name);
    privates.add('vault', typeof vault === 'string' ? vault : vault.path);
  }
  privates.add('path', place.path);
  privates.add('path', stateBase);
  if (http?.publicUrl !== undefined) privates.add('address', http.publicUrl.hostname);
  for (const host of http?.allowedHosts ?? []) privates.add('address', host);
  for (const [name, value = ''] of Object.entries(environment))
    if (/^(?:LECTERN|INDX)_/.test(name) && /[/\\:.]|^.{12,}$/.test(value)) privates.add('value', value);
  const walks = new Map<string, Promise<VaultWalk>>();
  return {
    ...sources,
    flags,
    environment: complete,
    privates,
    configPath: place.path,
    file,
    problems,
    warnings,
    settings,
    http,
    vaults,
    serverState: settings === undefined ? undefined : stateOf(serverVault(settings)),
    stateBase,
    walk(vault) {
      const walk = walks.get(vault.location) ?? walkVault(vault.location);
      walks.set(vault.location, walk);
      return walk;
    },
  };
}

async function fileAt(
  { path, named }: { readonly path: string; readonly named: boolean },
  note: (error: unknown) => void,
): Promise<ConfigFile | undefined> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || named)
      note(
        new LecternError('unavailable', `The configuration file ${path} cannot be read.`, {
          next: 'Check the path given with --config or LECTERN_CONFIG, and that this user may read it.',
        }),
      );
    return undefined;
  }
  const { problems, file } = parseLeniently(source, path);
  problems.forEach(note);
  return file;
}

/** Removes secrets that cannot be read, which are reported separately: the other settings remain. */
function withoutSecrets(file: ConfigFile | undefined): ConfigFile['values'] {
  const strip = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).filter(([key]) => !/(?:token|key|secret|passphrase)$/.test(key));
    return Object.fromEntries(entries.map(([key, inner]) => [key, strip(inner)]));
  };
  const { vaults, ...rest } = file?.values ?? {};
  return { ...(strip(rest) as object), ...(vaults !== undefined && { vaults }) };
}
