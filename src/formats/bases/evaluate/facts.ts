/** What expressions can ask of a file. Times in milliseconds since the epoch, tags without `#`. */
export interface FileFacts {
  readonly path: string;
  readonly size: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  /** Front matter; empty for files that have none. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** Of no file: what an expression sees where it is worked out for none. */
export const NO_FILE: FileFacts = { path: '', size: 0, ctimeMs: 0, mtimeMs: 0, properties: {}, tags: [] };

export interface LinkFacts {
  /** As meant, without the subpath. */
  readonly written: string;
  /** Path of the file it leads to; undefined when it leads nowhere. */
  readonly target: string | undefined;
  readonly embed: boolean;
}

/** Something of the vault that is to be loaded before an expression can be worked out. */
export type Need =
  | { readonly kind: 'facts'; readonly path: string }
  | { readonly kind: 'links'; readonly path: string }
  | { readonly kind: 'backlinks'; readonly path: string }
  | { readonly kind: 'resolve'; readonly target: string; readonly source: string };

/**
 * Thrown in the middle of an expression that needs what is not loaded. The caller loads it and works the
 * expression out again: expressions have no effects, so nothing happens twice.
 */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded';
  readonly need: Need;

  constructor(need: Need) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`not loaded: ${need.kind}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.need = need;
  }
}

/** The vault as far as it is loaded. Each answers at once or throws {@link NotLoaded}. */
export interface Lookup {
  /** Undefined when there is no such file. */
  facts(path: string): FileFacts | undefined;
  /** Of a file in the order of its text, those in properties and embeds included. */
  links(path: string): readonly LinkFacts[];
  /** Paths of the files that link to one. */
  backlinks(path: string): readonly string[];
  /** Where a link of `source` leads; undefined when it leads nowhere. */
  resolve(target: string, source: string): string | undefined;
}
