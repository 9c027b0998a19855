import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { LecternError } from '../errors.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';

export interface ServeSettings {
  /** Absolute path of the vault's folder; not checked yet. */
  readonly vault: string;
  /** Where index and journal live; undefined = the platform's state folder. */
  readonly stateDir: string | undefined;
  readonly readOnly: boolean;
  readonly logLevel: LogLevel;
  /** Globs of paths: what may be read, and what of it may be written. Empty allow = everything. */
  readonly paths: { readonly read: GlobRule; readonly write: GlobRule };
  /** Tool names or patterns. */
  readonly tools: GlobRule;
}

export interface GlobRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** As the command line gives them. */
export interface ServeFlags {
  readonly vault?: string;
  readonly state?: string;
  readonly readOnly?: boolean;
  readonly logLevel?: string;
  readonly allowRead?: readonly string[];
  readonly denyRead?: readonly string[];
  readonly allowWrite?: readonly string[];
  readonly denyWrite?: readonly string[];
  readonly tools?: readonly string[];
  readonly withoutTools?: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Flags win over the environment, the environment over the defaults. An empty value counts as unset.
 *
 * @throws LecternError `invalid_input` when no vault is named or a value is not one of the allowed
 */
export function resolveSettings(flags: ServeFlags, environment: Environment): ServeSettings {
  const vault = first(flags.vault, environment.LECTERN_VAULT, environment.INDX_VAULT);
  if (vault === undefined) {
    throw new LecternError('invalid_input', 'No vault was given.', {
      next: 'Add --vault <folder>, or set LECTERN_VAULT to the folder your notes are in.',
    });
  }
  const state = first(flags.state, environment.LECTERN_STATE);
  return {
    vault: absolute(vault),
    stateDir: state === undefined ? undefined : absolute(state),
    readOnly: flags.readOnly ?? isYes(environment.LECTERN_READ_ONLY),
    logLevel: logLevel(first(flags.logLevel, environment.LECTERN_LOG_LEVEL) ?? 'warn'),
    paths: {
      read: {
        allow: list(flags.allowRead, environment.LECTERN_ALLOW_READ),
        deny: list(flags.denyRead, environment.LECTERN_DENY_READ),
      },
      write: {
        allow: list(flags.allowWrite, environment.LECTERN_ALLOW_WRITE),
        deny: list(flags.denyWrite, environment.LECTERN_DENY_WRITE),
      },
    },
    tools: {
      allow: list(flags.tools, environment.LECTERN_TOOLS),
      deny: list(flags.withoutTools, environment.LECTERN_WITHOUT_TOOLS),
    },
  };
}

/** A flag given at all replaces the environment's list, which is written with commas. */
function list(flag: readonly string[] | undefined, environment: string | undefined): readonly string[] {
  const values = flag ?? environment?.split(',') ?? [];
  return values.map((value) => value.trim()).filter((value) => value !== '');
}

function first(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value.trim() !== '');
}

/** `~` arrives unexpanded from the JSON files in which clients keep their servers. */
function absolute(path: string): string {
  return resolve(path === '~' || path.startsWith('~/') ? homedir() + path.slice(1) : path);
}

function isYes(value: string | undefined): boolean {
  return value !== undefined && /^(1|true|yes|on)$/i.test(value.trim());
}

function logLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value.toLowerCase());
  if (level !== undefined) return level;
  throw new LecternError('invalid_input', `Unknown log level '${value}'.`, {
    next: `Use one of ${LOG_LEVELS.join(', ')}.`,
  });
}
