import { type FileFacts, type LinkFacts, type Lookup, type Need, NotLoaded } from '../evaluate/facts.ts';

/** Loads data of the vault for expressions. */
export interface FactLoader {
  facts(path: string): Promise<FileFacts | undefined>;
  links(path: string): Promise<readonly LinkFacts[]>;
  backlinks(path: string): Promise<readonly string[]>;
  resolve(target: string, source: string): Promise<string | undefined>;
}

/** A cache of the vault's data. Missing data is loaded between two evaluations of an expression. */
export class LoadedLookup implements Lookup {
  readonly #loader: FactLoader;
  #at: FileFacts | undefined;
  readonly #facts = new Map<string, FileFacts | undefined>();
  readonly #links = new Map<string, readonly LinkFacts[]>();
  readonly #backlinks = new Map<string, readonly string[]>();
  readonly #targets = new Map<string, string | undefined>();

  constructor(loader: FactLoader) {
    this.#loader = loader;
  }

  /** Stores facts that the caller has already loaded. */
  remember(facts: FileFacts): void {
    this.#facts.set(facts.path, facts);
  }

  /** Sets the file of the current row, which most look-ups are about; its facts need no entry in the cache. */
  at(facts: FileFacts): void {
    this.#at = facts;
  }

  facts(path: string): FileFacts | undefined {
    if (path === this.#at?.path) return this.#at;
    if (!this.#facts.has(path)) throw new NotLoaded({ kind: 'facts', path });
    return this.#facts.get(path);
  }

  links(path: string): readonly LinkFacts[] {
    const known = this.#links.get(path);
    if (known === undefined) throw new NotLoaded({ kind: 'links', path });
    return known;
  }

  backlinks(path: string): readonly string[] {
    const known = this.#backlinks.get(path);
    if (known === undefined) throw new NotLoaded({ kind: 'backlinks', path });
    return known;
  }

  resolve(target: string, source: string): string | undefined {
    const key = keyOf(target, source);
    if (!this.#targets.has(key)) throw new NotLoaded({ kind: 'resolve', target, source });
    return this.#targets.get(key);
  }

  /** Loads what a {@link NotLoaded} names. */
  async load(need: Need): Promise<void> {
    switch (need.kind) {
      case 'facts':
        this.#facts.set(need.path, await this.#loader.facts(need.path));
        return;
      case 'links': {
        const links = await this.#loader.links(need.path);
        this.#links.set(need.path, links);
        for (const { written, target } of links) this.#targets.set(keyOf(written, need.path), target);
        return;
      }
      case 'backlinks':
        this.#backlinks.set(need.path, await this.#loader.backlinks(need.path));
        return;
      case 'resolve':
        this.#targets.set(
          keyOf(need.target, need.source),
          await this.#loader.resolve(need.target, need.source),
        );
    }
  }
}

/** Links are cached per folder of their source, as relative links resolve alike from notes of one folder. */
function keyOf(target: string, source: string): string {
  return `${target}\0${source.slice(0, Math.max(0, source.lastIndexOf('/')))}`;
}
