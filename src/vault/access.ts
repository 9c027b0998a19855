import { LecternError } from '../errors.ts';
import type { PathFilter } from '../index/note-index.ts';
import { matchesGlob, parseGlob } from '../notes/glob.ts';
import { pathKey } from '../notes/path.ts';

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
 * The pattern a rule's glob compiles to. Case is folded and text is composed (NFC), because a file system may
 * do both: a rule must hold for every spelling of a path. A glob that equals an existing path literally,
 * brackets included, matches that file or folder too: `Old (2020)`, `[x] Done`.
 * @param withContents a glob that names a folder also covers its contents (`Secret*`), as a rule that hides a
 *   folder must; a last segment of stars alone names only the files of one folder. Without it only plain names
 *   and `…/**` cover contents.
 * @throws LecternError `invalid_input` for a glob with too many alternatives in braces
 */
function globTest(globs: readonly string[], withContents: boolean): Test | undefined {
  if (globs.length === 0) return undefined;
  const tests = globs.map((glob) => oneGlobTest(glob, withContents));
  return (path) => tests.some((test) => test(path));
}

function rootedGlob(glob: string): string {
  return pathKey(glob)
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '');
}

function oneGlobTest(glob: string, withContents: boolean): Test {
  const bangs = /^!*/.exec(glob)?.[0].length ?? 0;
  // For "all but" globs: a pattern that covers more inside excludes less outside.
  const negated = bangs % 2 === 1;
  const wide = withContents !== negated;
  const rooted = rootedGlob(glob.slice(bangs));
  const literal = rooted.replace(/\/\*\*$/, '');
  const patterns = rooted === '**' ? ['**'] : [literal];
  if (rooted !== literal || wide) if (!/(?:^|\/)\*+$/.test(literal)) patterns.push(`${literal}/**`);
  const alternatives = patterns.flatMap((pattern) => parseGlob(pattern) ?? tooMany(glob));
  const covers = (path: string): boolean => {
    const key = pathKey(path);
    if (key === literal || key.startsWith(`${literal}/`)) return true;
    const segments = key.split('/');
    return alternatives.some((alternative) => matchesGlob(alternative, segments));
  };
  return negated ? (path) => !covers(path) : covers;
}

function tooMany(glob: string): never {
  throw new LecternError('invalid_input', `The path rule ${glob} has too many alternatives in braces.`, {
    next: 'Write it as several rules.',
  });
}

function ruleTest(rule: PathRule): Test {
  const allow = globTest(rule.allow, false);
  const deny = globTest(rule.deny, true);
  return (path) => (allow === undefined || allow(path)) && !deny?.(path);
}

function isOpen(rule: PathRule): boolean {
  return rule.allow.length === 0 && rule.deny.length === 0;
}

/**
 * Whether a rule can make a difference between files below a readable folder. Decided from the rule alone,
 * whatever files exist; true when in doubt.
 */
function dividesBelow({ allow, deny }: PathRule, folder: string): boolean {
  const key = pathKey(folder);
  const covers = (glob: string) => {
    const literal = rootedGlob(glob).replace(/\/\*\*$/, '');
    return literal === '**' || key === literal || key.startsWith(`${literal}/`);
  };
  if (allow.length > 0 && !allow.some(covers)) return true;
  return deny.some((glob) => {
    if (glob.startsWith('!')) return true;
    const folders = key.split('/');
    const segments = rootedGlob(glob).split('/');
    const apart = segments.findIndex((segment, at) => HAS_WILDCARD.test(segment) || segment !== folders[at]);
    const segment = segments[apart];
    return segment === undefined || apart >= folders.length || HAS_WILDCARD.test(segment);
  });
}

const HAS_WILDCARD = /[*?[\](){}!+@\\]/;

/**
 * Rules that may change while a session is open. Called with each request; returns the same object while the
 * rules are the same.
 */
export type RuleLayer = AccessRules | (() => AccessRules);

/** Compiled layers of rules. */
interface Gate {
  readonly layers: readonly AccessRules[];
  readonly readOnly: boolean;
  readonly filter: PathFilter | undefined;
  readonly mayRead: Test;
  readonly mayWrite: Test;
}

function gateFor(layers: readonly AccessRules[]): Gate {
  const reads = layers.filter((layer) => !isOpen(layer.read)).map((layer) => ruleTest(layer.read));
  const writes = layers.filter((layer) => !isOpen(layer.write)).map((layer) => ruleTest(layer.write));
  const mayRead: Test = (path) => reads.every((test) => test(path));
  return {
    layers,
    readOnly: layers.some((layer) => layer.readOnly),
    filter:
      reads.length === 0
        ? undefined
        : {
            key: JSON.stringify(layers.map((layer) => layer.read)),
            test: mayRead,
            common: layers.slice(1).every(({ read }) => isOpen(read)),
          },
    mayRead,
    mayWrite: (path) => writes.every((test) => test(path)),
  };
}

/**
 * The access gate. Every path that enters or leaves a session passes through here; for the caller, a path
 * that may not be read does not exist.
 */
export class Access {
  readonly #sources: readonly RuleLayer[];
  #gate: Gate;

  /**
   * All layers of rules (the vault's first, then the token's) must agree.
   * @throws LecternError `invalid_input` for a glob with too many alternatives in braces
   */
  constructor(layers: readonly RuleLayer[]) {
    this.#sources = layers;
    this.#gate = gateFor(layers.map(currentRules));
  }

  get readOnly(): boolean {
    return this.#current().readOnly;
  }

  /**
   * Filter for index queries; undefined when everything is visible. A filter does not change during the query
   * it was made for.
   */
  get filter(): PathFilter | undefined {
    return this.#current().filter;
  }

  mayRead(path: string): boolean {
    return this.#current().mayRead(path);
  }

  mayWrite(path: string): boolean {
    const { readOnly, mayRead, mayWrite } = this.#current();
    return !readOnly && mayRead(path) && mayWrite(path);
  }

  /** Whether the rules could show some files below a folder and hide others, whatever files exist. */
  dividesBelow(folder: string): boolean {
    return this.#current().layers.some(({ read }) => dividesBelow(read, folder));
  }

  /**
   * Whether the write rules allow a change to a file, visible or not: links in a note that the caller does
   * not see are updated unless these rules protect it.
   */
  isProtected(path: string): boolean {
    const { readOnly, mayWrite } = this.#current();
    return readOnly || !mayWrite(path);
  }

  /**
   * @throws LecternError `not_found` when the path may not be seen, `read_only` or `forbidden` when it may not be changed
   */
  assertWritable(path: string): void {
    const { readOnly, mayRead, mayWrite } = this.#current();
    if (!mayRead(path)) throw notFound(path);
    if (readOnly) {
      throw new LecternError('read_only', 'This vault is open for reading only.', {
        next: 'Ask the owner to allow writing.',
      });
    }
    if (!mayWrite(path)) {
      throw new LecternError('forbidden', `The owner's rules do not allow changing ${path}.`, {
        details: { path },
        next: 'Choose a place inside the folders that may be written.',
      });
    }
  }

  #current(): Gate {
    const { layers } = this.#gate;
    for (let at = 0; at < layers.length; at++) {
      const source = this.#sources[at];
      if (typeof source !== 'function' || source() === layers[at]) continue;
      this.#gate = gateFor(this.#sources.map(currentRules));
      break;
    }
    return this.#gate;
  }
}

function currentRules(layer: RuleLayer): AccessRules {
  return typeof layer === 'function' ? layer() : layer;
}

/** One message for absent and hidden notes alike. */
export function notFound(path: string, suggestions: readonly string[] = []): LecternError {
  return new LecternError('not_found', `There is no note at ${path}.`, {
    details: suggestions.length > 0 ? { path, suggestions } : { path },
    next:
      suggestions.length > 0
        ? `Did you mean ${suggestions[0]}? Call again with an exact path.`
        : 'Find the exact path with vault_search or note_list.',
  });
}
