import { homedir, hostname, userInfo } from 'node:os';

/** What a text says of its owner: it is left out of an answer that strangers will read. */
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

/** Texts that nobody has to be told of: they are words of the answers themselves. */
const LEAST_LENGTH = 2;

/**
 * Remembers every private text that a check puts into its answer, so that all of them can be taken out again. A text has
 * one stand-in throughout (`<note 3>`), which lets a reader follow what belongs together.
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

  /** The text without anything private that was ever added, and without what looks like a token. */
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

/** As a word of its own: a vault called `on` is not to take a bite out of every `only`. */
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
    // A user without an entry, as in a container.
    return undefined;
  }
}
