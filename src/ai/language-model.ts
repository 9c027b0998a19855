/** One turn of a conversation with a model. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface GenerateRequest {
  /** What the model is to do. Text of notes never stands here, only in messages, fenced. */
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** JSON Schema (2020-12) of the object that is wanted instead of a text. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Tokens of the answer, at most. */
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly seed?: number;
  /** Ends the request to the provider at once. */
  readonly signal: AbortSignal;
  /** Pieces of the text as they come; never called where a schema is given. */
  readonly onDelta?: (text: string) => void;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The provider gave no numbers: they are counted by Lectern's own estimate. */
  readonly isEstimated: boolean;
}

export interface Generated {
  readonly text: string;
  /** Parsed JSON where a schema was given; not yet validated against it. */
  readonly object?: unknown;
  readonly usage: TokenUsage;
  readonly finish: 'stop' | 'length' | 'refusal' | 'other';
  /** As the provider names the model that answered. */
  readonly model: string;
}

/**
 * A language model, wherever it runs. It has no tools: what it writes is text to be checked, never
 * something to be done.
 */
export interface LanguageModel {
  /** As in the setting `ai.provider`. */
  readonly provider: string;
  readonly model: string;
  /**
   * @throws LecternError `ai_unavailable` when the provider is away, refuses the key or is overloaded for longer
   *   than a retry waits; `too_large` when the messages do not fit; `timeout`; the signal's reason when it is aborted
   */
  generate(request: GenerateRequest): Promise<Generated>;
}
