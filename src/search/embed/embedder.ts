/** What a text is embedded as: some models put questions and passages through different prompts. */
export type EmbedKind = 'passage' | 'query';

/**
 * The embedder port: texts in, one unit vector each out. Vectors of different ids are never compared,
 * so the id names everything that changes them: model, version, dimensions.
 */
export interface Embedder {
  readonly id: string;
  readonly dimensions: number;
  /** `statistical`: learned from this vault's word counts. `neural`: a trained language model. */
  readonly kind: 'statistical' | 'neural';
  /** Texts per call that the backend handles best. */
  readonly batch: number;
  /**
   * @returns one vector of length 1 (or all zeros when nothing in the text is known) per text, in order
   * @throws LecternError `unavailable` when the backend cannot be reached or answers nonsense
   */
  embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<Float32Array[]>;
  close?(): Promise<void>;
}
