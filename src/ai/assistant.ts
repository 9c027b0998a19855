import type { Generated, GenerateRequest, TokenUsage } from './language-model.ts';

/**
 * Whether earlier answers may be reused: `use`; `refresh` = ask again and store the new answer; `off` =
 * neither.
 */
export type CacheUse = 'use' | 'refresh' | 'off';

/** A note whose text is part of a request, in the version that was read. */
export interface NoteRead {
  readonly path: string;
  readonly etag: string;
}

export interface AssistantRequest extends GenerateRequest {
  /** Name of the operation, for the audit log, the ledger and the cache. */
  readonly operation: string;
  /** Must change whenever the wording of the prompt does. */
  readonly promptVersion: string;
  /**
   * All notes whose text is in the messages. They are part of the cache key, and the audit log records them
   * as sent.
   */
  readonly notes: readonly NoteRead[];
  readonly cache: CacheUse;
}

export interface Assisted extends Generated {
  /** Taken from the cache: nothing was sent and nothing spent. */
  readonly isCached: boolean;
}

/** The size of a request, before it is sent. */
export interface Estimate {
  readonly inputTokens: number;
  /** True when estimated from characters rather than counted by the model's tokeniser. */
  readonly isEstimated: boolean;
}

export interface Spend {
  readonly usage: TokenUsage;
  /** In the currency of the configured prices; undefined when none are configured. */
  readonly cost?: number;
}

/** Spend of all processes and callers since the start of a day or month (UTC), and its limits. */
export interface PeriodSpend extends Spend {
  readonly period: 'day' | 'month';
  /** ms since the epoch. */
  readonly since: number;
  readonly requests: number;
  readonly limitTokens?: number;
  readonly limitCost?: number;
}

export interface AssistantStatus {
  /** Host and port of the provider; absent for the connected client's model. */
  readonly host?: string;
  readonly reachable: boolean;
  /** Why it is not reachable. */
  readonly problem?: string;
  readonly cache?: {
    readonly answers: number;
    readonly bytes: number;
    readonly hits: number;
    readonly misses: number;
  };
  readonly spend?: readonly PeriodSpend[];
}

/** A part of an unfinished answer: text as it is written, a verified citation, or the spend so far. */
export type PartialAnswer =
  | { readonly kind: 'partial'; readonly text: string }
  | { readonly kind: 'citation'; readonly citation: Readonly<Record<string, unknown>> }
  | { readonly kind: 'usage'; readonly usage: Spend };

/**
 * The access of one call to language models: the configured model with budget, cache and audit. Without a
 * model, answers are extracted from the notes.
 */
export interface Assistant {
  /**
   * `extractive` = there is no model: {@link generate} throws `ai_unavailable`, and answers quote and count.
   */
  readonly mode: 'generative' | 'extractive';
  /** The provider as in `ai.provider`; `builtin` when the mode is extractive. */
  readonly provider: string;
  readonly model?: string;
  /** Most tokens of one request, messages and answer together. */
  readonly contextTokens: number;
  estimate(text: string): Estimate;
  /**
   * Sends a request to the model, within the budgets of the call, day and month.
   *
   * @throws LecternError those of {@link LanguageModel.generate}; `ai_unavailable` with the rest of a budget
   *   that would be exceeded; `too_large` when the request does not fit in the context
   */
  generate(request: AssistantRequest): Promise<Assisted>;
  /** Spend of this call so far. */
  spent(): Spend;
  status(signal: AbortSignal): Promise<AssistantStatus>;
}
