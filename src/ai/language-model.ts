/** One turn of a conversation with a model. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface GenerateRequest {
  /** The instructions. Text of notes is never part of them, only of messages, fenced. */
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** JSON Schema (2020-12) of the wanted object; absent = the answer is text. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Most tokens of the answer. */
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly seed?: number;
  /** Aborts the request to the provider at once. */
  readonly signal: AbortSignal;
  /** Called with each piece of the text; never called when a schema is given. */
  readonly onDelta?: (text: string) => void;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** True when the provider gave no counts and Lectern estimated them. */
  readonly isEstimated: boolean;
}

export interface Generated {
  readonly text: string;
  /** The parsed JSON when a schema was given; not validated against it. */
  readonly object?: unknown;
  readonly usage: TokenUsage;
  readonly finish: 'stop' | 'length' | 'refusal' | 'other';
  /** The model that answered, as the provider names it. */
  readonly model: string;
}

/** A language model. It is given no tools: its answers are checked as text and never executed. */
export interface LanguageModel {
  /** As in the setting `ai.provider`. */
  readonly provider: string;
  readonly model: string;
  /**
   * @throws LecternError `ai_unavailable` when the provider does not answer, refuses the key, or stays
   *   overloaded after the retries; `too_large` when the messages do not fit; `timeout`; the signal's reason
   *   when it is aborted
   */
  generate(request: GenerateRequest): Promise<Generated>;
}
