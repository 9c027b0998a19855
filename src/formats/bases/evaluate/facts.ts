/** A file's data for expressions. Size in bytes, times in milliseconds since the epoch, tags without `#`. */
export interface FileFacts {
  readonly path: string;
  readonly size: number;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  /** Front matter as plain values; empty for a file without. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
}

/** Facts for an expression that is evaluated without a file. */
export const NO_FILE: FileFacts = { path: '', size: 0, ctimeMs: 0, mtimeMs: 0, properties: {}, tags: [] };

export interface LinkFacts {
  /** The link's target as written, decoded, without the subpath. */
  readonly written: string;
  /** Path of the file it resolves to; undefined for an unresolved link. */
  readonly target: string | undefined;
  readonly embed: boolean;
}

/** Data of the vault that must be loaded before an expression can be evaluated. */
export type Need =
  | { readonly kind: 'facts'; readonly path: string }
  | { readonly kind: 'links'; readonly path: string }
  | { readonly kind: 'backlinks'; readonly path: string }
  | { readonly kind: 'resolve'; readonly target: string; readonly source: string };

/**
 * Thrown during an evaluation that needs data which is not loaded. The caller loads it and evaluates the
 * expression again, which is safe as expressions have no side effects.
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

/** Synchronous access to the loaded data of the vault. Each method throws {@link NotLoaded} for other data. */
export interface Lookup {
  /** undefined when there is no such file. */
  facts(path: string): FileFacts | undefined;
  /** The links of a file in source order, including embeds and links in properties. */
  links(path: string): readonly LinkFacts[];
  /** Paths of the files that link to the file. */
  backlinks(path: string): readonly string[];
  /** Path of the file that a link in `source` resolves to; undefined for an unresolved link. */
  resolve(target: string, source: string): string | undefined;
}
