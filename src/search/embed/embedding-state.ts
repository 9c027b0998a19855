/** What the job is doing, for status lines. */
export interface EmbeddingState {
  readonly state: 'idle' | 'training' | 'embedding' | 'failed' | 'elsewhere';
  /** The model that is being filled. */
  readonly model: string | undefined;
  /** Notes done of those that were pending when this pass began. */
  readonly done: number;
  readonly total: number;
  readonly message: string | undefined;
}
