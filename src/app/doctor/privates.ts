import { homedir, hostname, userInfo } from 'node:os';

/** Kinds of text that identify the owner and are removed from a report for others. */
export type PrivateKind =
  | 'home'
  | 'user'
  | 'host'
  | 'vault'
  | 'note'
  | 'path'
  | 'address'
  | 'token'
  | 'client'
  | 'value';

/** Shorter texts, in UTF-16 code units, are not replaced: they occur in the report's own words. */
const LEAST_LENGTH = 2;

/**
 * Registers every private text that a check puts into the report, so that all can be replaced. A text has the
 * same substitute throughout (`<note 3>`), so that a reader can relate its occurrences.
 */
export class Privates {
  readonly #standIns = new Map<string, string>();
  readonly #counts = new Map<PrivateKind, number>();

  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    this.#set('~', homedir(), environment.HOME, environment.USERPROFILE);
    this.#set('<user>', userName(), environment.USER, environment.USERNAME, environment.LOGNAME);
    this.#set('<host>', hostname(), hostname().split('.')[0], environment.HOSTNAME, environment.COMPUTERNAME);
  }

  /** @returns the text itself */
  add(kind: PrivateKind, text: string): string {
    if (text.length >= LEAST_LENGTH && !this.#standIns.has(text)) {
      const count = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, count);
      this.#standIns.set(text, `<${kind} ${count}>`);
    }
    return text;
  }

  /** Replaces all registered texts, and what looks like a token. */
  redact(text: string): string {
    const known = [...this.#standIns.keys()].sort((a, b) => b.length - a.length);
    if (known.length > 0) {
      const any = new RegExp(known.map((each) => bounded(each)).join('|'), 'gu');
      text = text.replace(any, (found) => this.#standIns.get(found) ?? '<private>');
    }
    return text.replace(/\blectern_[\w-]{8,}/g, '<token>');
  }

  #set(standIn: string, ...texts: readonly (string | undefined)[]): void {
    for (const text of texts)
      if (text !== undefined && text.length >= LEAST_LENGTH && text !== '/')
        this.#standIns.set(text, standIn);
  }
}

/** Matches the text as a whole word: a vault named `on` must not match inside `only`. */
function bounded(text: string): string {
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const before = /^[\p{L}\p{N}]/u.test(text) ? '(?<![\\p{L}\\p{N}])' : '';
  const after = /[\p{L}\p{N}]$/u.test(text) ? '(?![\\p{L}\\p{N}])' : '';
  return `${before}${escaped}${after}`;
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The user has no entry, as in some containers.
    return undefined;
  }
}
