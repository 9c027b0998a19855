import picomatch from 'picomatch';
import { LecternError } from '../errors.ts';
import type { PathFilter } from '../index/note-index.ts';

/** The owner's path rules. Globs are vault-relative; an empty allow list allows everything. */
export interface AccessRules {
  readonly readOnly: boolean;
  readonly read: PathRule;
  readonly write: PathRule;
}

export interface PathRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export const OPEN_ACCESS: AccessRules = {
  readOnly: false,
  read: { allow: [], deny: [] },
  write: { allow: [], deny: [] },
};

type Test = (path: string) => boolean;

/**
 * A folder may be named with or without `/**`; case is folded and text composed as the disk may
 * do both behind our back, and a rule that a different spelling slips past is no rule.
 */
function globTest(globs: readonly string[]): Test | undefined {
  if (globs.length === 0) return undefined;
  const patterns = globs.flatMap((glob) => {
    const trimmed = glob.normalize('NFC').replace(/^\/+/, '').replace(/\/+$/, '');
    return /[*?[{(!]/.test(trimmed) ? [trimmed] : [trimmed, `${trimmed}/**`];
  });
  const match = picomatch(patterns, { nocase: true, dot: true });
  return (path) => match(path.normalize('NFC'));
}

function ruleTest(rule: PathRule): Test {
  const allow = globTest(rule.allow);
  const deny = globTest(rule.deny);
  return (path) => (allow === undefined || allow(path)) && !deny?.(path);
}

function isOpen(rule: PathRule): boolean {
  return rule.allow.length === 0 && rule.deny.length === 0;
}

/**
 * The one gate. Every path that enters or leaves a session passes through here; what may not be
 * read does not exist as far as the caller can tell.
 */
export class Access {
  readonly readOnly: boolean;
  /** For index queries; undefined when everything is visible. */
  readonly filter: PathFilter | undefined;
  readonly #mayRead: Test;
  readonly #mayWrite: Test;

  /** Several layers of rules (the vault's, the token's) must all agree. */
  constructor(layers: readonly AccessRules[]) {
    this.readOnly = layers.some((layer) => layer.readOnly);
    const reads = layers.filter((layer) => !isOpen(layer.read)).map((layer) => ruleTest(layer.read));
    const writes = layers.filter((layer) => !isOpen(layer.write)).map((layer) => ruleTest(layer.write));
    this.#mayRead = (path) => reads.every((test) => test(path));
    this.#mayWrite = (path) => writes.every((test) => test(path));
    this.filter =
      reads.length === 0
        ? undefined
        : { key: JSON.stringify(layers.map((layer) => layer.read)), test: this.#mayRead };
  }

  mayRead(path: string): boolean {
    return this.#mayRead(path);
  }

  mayWrite(path: string): boolean {
    return !this.readOnly && this.#mayRead(path) && this.#mayWrite(path);
  }

  /**
   * @throws LecternError `not_found` when the path may not be seen, `read_only` or `forbidden` when it may not be changed
   */
  assertWritable(path: string): void {
    if (!this.#mayRead(path)) throw notFound(path);
    if (this.readOnly) {
      throw new LecternError('read_only', 'This vault is open for reading only.', {
        next: 'Ask the owner to allow writing.',
      });
    }
    if (!this.#mayWrite(path)) {
      throw new LecternError('forbidden', `The owner's rules do not allow changing ${path}.`, {
        details: { path },
        next: 'Choose a place inside the folders that may be written.',
      });
    }
  }
}

/** The same words whether a note is absent or hidden. */
export function notFound(path: string, suggestions: readonly string[] = []): LecternError {
  return new LecternError('not_found', `There is no note at ${path}.`, {
    details: suggestions.length > 0 ? { path, suggestions } : { path },
    next:
      suggestions.length > 0
        ? `Did you mean ${suggestions[0]}? Call again with an exact path.`
        : 'Find the exact path with vault_search or note_list.',
  });
}
