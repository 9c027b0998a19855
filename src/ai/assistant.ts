import type { Generated, GenerateRequest, TokenUsage } from './language-model.ts';

/** Whether answers that were given before may be given again: `refresh` asks anew and keeps the new one. */
export type CacheUse = 'use' | 'refresh' | 'off';

/** A note whose text is part of a request. */
export interface NoteRead {
  readonly path: string;
  readonly etag: string;
}

export interface AssistantRequest extends GenerateRequest {
  /** The operation that asks, for audit, spend and cache. */
  readonly operation: string;
  /** Changes whenever the wording of the prompt does. */
  readonly promptVersion: string;
  /** Every note whose text is in the messages: part of the cache's key, and what the audit log says was sent. */
  readonly notes: readonly NoteRead[];
  readonly cache: CacheUse;
}

export interface Assisted extends Generated {
  /** Answered from an earlier, equal request: nothing was sent and nothing spent. */
  readonly isCached: boolean;
}

/** How a request would be counted before it is made. */
export interface Estimate {
  readonly inputTokens: number;
  /** Whether it is the tokeniser of the model or an estimate from characters. */
  readonly isEstimated: boolean;
}

export interface Spend {
  readonly usage: TokenUsage;
  /** In the currency of the configured prices; undefined where none are. */
  readonly cost?: number;
}

/** What was spent since a day or month began (UTC), by every process and caller, and how much may be. */
export interface PeriodSpend extends Spend {
  readonly period: 'day' | 'month';
  /** ms since 1970. */
  readonly since: number;
  readonly requests: number;
  readonly limitTokens?: number;
  readonly limitCost?: number;
}

export interface AssistantStatus {
  /** Host and port that requests go to. */
  readonly host?: string;
  readonly reachable: boolean;
  /** Why it is not. */
  readonly problem?: string;
  readonly cache?: {
    readonly answers: number;
    readonly bytes: number;
    readonly hits: number;
    readonly misses: number;
  };
  readonly spend?: readonly PeriodSpend[];
}

/** A piece of an answer on its way: its text as it is written, a citation once it is verified, what was spent. */
export type PartialAnswer =
  | { readonly kind: 'partial'; readonly text: string }
  | { readonly kind: 'citation'; readonly citation: Readonly<Record<string, unknown>> }
  | { readonly kind: 'usage'; readonly usage: Spend };

/**
 * What operations ask of language models during one call: a configured model behind budget, cache
 * and audit, or none at all, in which case answers are made by extraction from the notes.
 */
export interface Assistant {
  /** `extractive`: there is no model ({@link generate} throws `ai_unavailable`); answers quote and count. */
  readonly mode: 'generative' | 'extractive';
  /** `builtin` where the mode is extractive. */
  readonly provider: string;
  readonly model?: string;
  /** Tokens that one request to the model may hold, messages and answer together. */
  readonly contextTokens: number;
  estimate(text: string): Estimate;
  /**
   * Asks the model, unless the budget of the call, day or month does not have it.
   *
   * @throws LecternError those of a model; `ai_unavailable` with what is left when a budget is spent
   */
  generate(request: AssistantRequest): Promise<Assisted>;
  /** What this call has spent so far. */
  spent(): Spend;
  status(signal: AbortSignal): Promise<AssistantStatus>;
}
