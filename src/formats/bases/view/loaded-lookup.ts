import { type FileFacts, type Lookup, type Need, NotLoaded } from '../evaluate/facts.ts';

/** Asks the vault what expressions need. Each answers in the order of what was asked. */
export interface FactLoader {
  facts(path: string): Promise<FileFacts | undefined>;
  backlinks(path: string): Promise<readonly string[]>;
  resolve(target: string, source: string): Promise<string | undefined>;
}

/** The vault as far as it was asked: what is missing is loaded between two tries of an expression. */
export class LoadedLookup implements Lookup {
  readonly #loader: FactLoader;
  readonly #facts = new Map<string, FileFacts | undefined>();
  readonly #backlinks = new Map<string, readonly string[]>();
  readonly #targets = new Map<string, string | undefined>();

  constructor(loader: FactLoader) {
    this.#loader = loader;
  }

  /** Facts that are at hand already, with where their links lead. */
  remember(facts: FileFacts): void {
    this.#facts.set(facts.path, facts);
    for (const { written, target } of facts.links) this.#targets.set(keyOf(written, facts.path), target);
  }

  facts(path: string): FileFacts | undefined {
    if (!this.#facts.has(path)) throw new NotLoaded({ kind: 'facts', path });
    return this.#facts.get(path);
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

  async load(need: Need): Promise<void> {
    if (need.kind === 'facts') {
      const facts = await this.#loader.facts(need.path);
      if (facts === undefined) this.#facts.set(need.path, undefined);
      else this.remember(facts);
      this.#facts.set(need.path, facts);
    } else if (need.kind === 'backlinks') {
      this.#backlinks.set(need.path, await this.#loader.backlinks(need.path));
    } else {
      const { target, source } = need;
      this.#targets.set(keyOf(target, source), await this.#loader.resolve(target, source));
    }
  }
}

/** Most links mean the same from every note; those with a dot at the start do not. */
function keyOf(target: string, source: string): string {
  return `${target}\0${source.slice(0, Math.max(0, source.lastIndexOf('/')))}`;
}
