import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { LecternError } from '../errors.ts';
import type { InputRequest } from '../operations/call/dialogue.ts';
import type { Operation, OperationContext, Toolset } from '../operations/operation.ts';
import type { VaultSession } from '../vault/session.ts';
import type { WritingSession } from '../vault/write/types.ts';
import type { PromptDefinition } from './prompt.ts';
import type { Protocol } from './protocol.ts';

/**
 * A catalogue offers operations under one system's names, shapes, defaults and error style. What
 * notes do is the operations' business; how it looks to a client of that system is the catalogue's.
 */
export interface Catalogue {
  /** As in the list of catalogues. */
  readonly name: string;
  /** In the order clients list them. */
  readonly tools: readonly CatalogueTool[];
  /** Tools that are not listed and would be if somebody were configured to answer; calls say so. */
  readonly dormant?: readonly CatalogueTool[];
  /** The sets whose tools are listed from the start; undefined = every tool is. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Makes the tool that brings in sets which are not listed; absent = the catalogue has no sets. */
  readonly moreTools?: (hidden: readonly CatalogueTool[]) => CatalogueTool;
  /** Names of the vaults that the caller may use; undefined when there is one. */
  readonly vaults?: readonly string[] | undefined;
  /**
   * Every tool takes `vault`, the name of one of several. Without this, calls are for the first
   * vault that the caller may use, unless a tool chooses by {@link ToolContext.vault}.
   */
  readonly asksForVault?: boolean;
  /** The `vault://` resources and the prompts of the vault, as far as the operations that show the same are offered. */
  readonly vaultResources?: boolean;
  /** Resources under the system's own URIs. */
  readonly resources?: readonly ResourceSource[];
  readonly prompts?: readonly PromptDefinition[];
  /**
   * How the system says that something went wrong which no tool has put into words itself: wrong
   * input, a vault that is away, `timeout`, `internal`.
   *
   * @throws JsonRpcError where the system's calls fail so
   */
  failure(error: LecternError, call: FailedToolCall): ToolAnswer;
  /**
   * The answer to a call of a tool that there is not, or that is not offered to this caller.
   *
   * @param offered the tools that are
   * @throws JsonRpcError where the system answers so
   */
  unknownTool(name: string, offered: readonly CatalogueTool[]): ToolAnswer;
}

/** What a client learns at the handshake; kept apart from the tools so that it can be answered before they load. */
export interface CatalogueIdentity {
  readonly server: {
    readonly name: string;
    readonly title?: string;
    /** Default: Lectern's own. */
    readonly version?: string;
  };
  /** Agent onboarding, under 2 KB, most important first. Absent = none is sent. */
  readonly instructions?: string;
  /** What it is told before that when calls have to name one of several vaults. */
  readonly severalVaults?: (names: readonly string[]) => string;
  readonly protocol: Protocol;
  /** Environment variables that the system's own documents name, and the ones of Lectern that mean the same. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A tool as `tools/list` shows it, without its name: raw JSON, with or without title, annotations and output schema. */
export interface ToolListing {
  readonly description?: string;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly [key: string]: unknown;
}

export interface CatalogueTool {
  readonly name: string;
  readonly listing: ToolListing;
  /** False: off until the owner switches it on by its name (`tools.on`). Default true. */
  readonly defaultOn?: boolean;
  /**
   * Every operation it runs. It is offered to a caller who is offered all of them; scopes, toggles
   * and read-only vaults follow from that.
   */
  readonly operations: readonly Operation[];
  /** The same tool for those who are offered the reading form of its operations; absent = it is the same for all. */
  readonly reading?: CatalogueTool;
  /** Undefined = listed always. */
  readonly toolset?: Toolset;
  /** A call that names no vault is answered for all of them together. */
  readonly overview?: boolean;
  /**
   * Answers a call. Checks its arguments itself, or lets `context.run` do it.
   *
   * @throws LecternError to be put into words by {@link Catalogue.failure}
   * @throws JsonRpcError to be sent as it is
   */
  call(given: unknown, context: ToolContext): Promise<ToolAnswer>;
}

/** What of a session is for looking things up: changes are made by operations, which every door has and rules can name. */
export type VaultLookups = Omit<
  VaultSession,
  keyof WritingSession | 'as' | 'failed' | 'replayRead' | 'replayWrite' | 'reindex' | 'configuration'
> &
  Pick<WritingSession, 'history' | 'trashList'>;

/** What a tool or a resource works with during one call. */
export interface CallContext extends OperationContext {
  /** Names of the vaults that the caller may choose from, in the server's order; empty when there is one. */
  readonly vaults: readonly string[];
  /**
   * The vault of the call as the caller sees it, for look-ups before and after an operation: every
   * method applies scopes and path rules. Opened when first asked for.
   *
   * @param name another one than the call's own
   * @throws LecternError `not_found` when there is none of that name
   */
  vault(name?: string): Promise<VaultLookups>;
  /**
   * Runs an operation as every door does: checked input, replay, audit.
   *
   * @throws LecternError as the operation has it; `invalid_input` when it does not take this input
   */
  run<Input extends z.ZodObject, Output extends z.ZodObject>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output>>;
  /** The same with input that `parseInput` gave. */
  runChecked<Input extends z.ZodObject, Output extends z.ZodObject>(
    operation: Operation<Input, Output>,
    input: z.output<Input>,
  ): Promise<z.output<Output>>;
}

export interface ToolContext extends CallContext {
  /** The tool's name, as the client called it. */
  readonly tool: string;
  /**
   * Lists the tools of a set in this connection, from here on.
   *
   * @returns false where lists are the same for every connection (2026-07-28, and systems without sessions)
   */
  showToolset(set: Toolset): boolean;
}

/** A call that failed, for words with the caller's own identifiers in them. */
export interface FailedToolCall {
  readonly tool: CatalogueTool;
  /** The arguments as they came. */
  readonly given: unknown;
}

/** What a client is answered: blocks in their order, and `isError` only where it is set. */
export interface ToolAnswer {
  readonly content: readonly Block[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Data in base64. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly text: string };
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
    };

/** The tool cannot go on without answers: it is called again with them. */
export interface InputQuestion {
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly state: unknown;
}

export type ToolOutcome =
  | { readonly kind: 'answer'; readonly answer: ToolAnswer }
  | { readonly kind: 'question'; readonly question: InputQuestion };

/** Resources of a catalogue, under URIs that begin alike. */
export interface ResourceSource {
  /** What their URIs begin with, e.g. `card://`. */
  readonly prefix: string;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** Every operation that reading one runs: without all of them there are no such resources. Default none. */
  readonly operations?: readonly Operation[];
  /**
   * @throws LecternError `not_found` when there is none, or JsonRpcError in the system's own words
   */
  read(uri: string, context: CallContext): Promise<ReadResourceResult>;
  /** Tells of every later change until the returned function is called. Absent = nothing of it changes. */
  watch?(uri: string, tell: () => void): () => void;
}

/** An answer of one text. */
export function textAnswer(text: string, isError = false): ToolAnswer {
  return { content: [{ type: 'text', text }], ...(isError && { isError: true }) };
}
