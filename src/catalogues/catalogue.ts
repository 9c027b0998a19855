import type * as z from 'zod';
import type { LecternError } from '../errors.ts';
import type { InputRequest } from '../operations/call/dialogue.ts';
import type { ObjectSchema } from '../operations/call/json-schema.ts';
import type { Operation, Scope } from '../operations/operation.ts';

/**
 * A catalogue offers operations under one system's names, shapes, defaults and error style. It is
 * a table: what a tool does is the operation's business, how it looks is the catalogue's.
 */
export interface Catalogue {
  readonly name: string;
  /** In the order clients list them. */
  readonly tools: readonly CatalogueTool[];
  /** Names of the vaults a call has to choose from; absent when there is one. */
  readonly vaults?: readonly string[];
  /** How this system says that something went wrong. */
  failure(error: LecternError): ToolResult;
}

/** What a client learns at the handshake; kept apart from the tools so that it can be answered before they load. */
export interface CatalogueIdentity {
  readonly server: { readonly name: string; readonly title: string };
  /** Agent onboarding, under 2 KB, most important first. */
  readonly instructions: string;
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** False: every tool works on this vault alone. */
  readonly openWorldHint: boolean;
}

export interface CatalogueTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
  readonly scope: Scope;
  readonly operation: Operation;
  /** The caller's arguments → the operation's. Absent = they are the same. */
  toInput?(given: unknown): unknown;
  answer(output: z.output<z.ZodObject>, input: z.output<z.ZodObject>): ToolAnswer;
}

/** Text and structure carry the same facts: some clients show the model only one of them. */
export interface ToolAnswer {
  readonly kind: 'answer';
  /** Empty = the content alone. */
  readonly text: string;
  /** What text cannot say, after it. */
  readonly content?: readonly MediaContent[];
  readonly structured?: Record<string, unknown>;
  readonly isError: boolean;
}

/** Data in base64. */
export type MediaContent =
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly text: string };
    };

/** The tool cannot go on without answers: it is called again with them. */
export interface InputQuestion {
  readonly kind: 'question';
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly state: unknown;
}

/** For systems whose tools fail with a JSON-RPC error. */
export interface ProtocolFailure {
  readonly kind: 'protocol';
  readonly code: number;
  readonly message: string;
  readonly data?: Record<string, unknown>;
}

export type ToolResult = ToolAnswer | ProtocolFailure;

export type ToolOutcome = ToolResult | InputQuestion;
