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
 * A catalogue offers operations under one system's names, shapes, defaults and error style. Operations define
 * what happens to notes; a catalogue defines how that appears to the system's clients.
 */
export interface Catalogue {
  /** Its name in the list of catalogues. */
  readonly name: string;
  /** In the order clients list them. */
  readonly tools: readonly CatalogueTool[];
  /** Tools not listed because no model is configured; calls of them say so. */
  readonly dormant?: readonly CatalogueTool[];
  /** The sets whose tools are listed initially; undefined = all tools. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Makes the tool that lists further sets; absent = the catalogue has no sets. */
  readonly moreTools?: (hidden: readonly CatalogueTool[]) => CatalogueTool;
  /** Names of the vaults the caller may use; undefined when there is only one. */
  readonly vaults?: readonly string[] | undefined;
  /**
   * Every tool takes `vault`, the name of one of several. Without this, calls are for the first vault the
   * caller may use, unless a tool chooses one with {@link ToolContext.vault}.
   */
  readonly asksForVault?: boolean;
  /** The `vault://` resources and the vault's prompts, if the operations that show the same are offered. */
  readonly vaultResources?: boolean;
  /** Resources under the system's own URIs. */
  readonly resources?: readonly ResourceSource[];
  readonly prompts?: readonly PromptDefinition[];
  /**
   * Words an error that no tool has worded itself, as the system does: wrong input, a vault that is away,
   * `timeout`, `internal`.
   *
   * @throws JsonRpcError where the system's calls fail that way
   */
  failure(error: LecternError, call: FailedToolCall): ToolAnswer;
  /**
   * The answer to a call of an unknown tool, or one not offered to this caller.
   *
   * @param offered the offered tools
   * @throws JsonRpcError where the system answers that way
   */
  unknownTool(name: string, offered: readonly CatalogueTool[]): ToolAnswer;
}

/**
 * The handshake data of a catalogue; separate from the tools, so that the handshake can be answered before
 * they are loaded.
 */
export interface CatalogueIdentity {
  readonly server: {
    readonly name: string;
    readonly title?: string;
    /** Default: Lectern's own. */
    readonly version?: string;
  };
  /** Agent onboarding, under 2 KB, most important first. Absent = none is sent. */
  readonly instructions?: string;
  /** Sent in front when calls must name one of several vaults. */
  readonly severalVaults?: (names: readonly string[]) => string;
  readonly protocol: Protocol;
  /** Environment variables documented by the system, and Lectern's equivalents. */
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
  /** False: off unless the owner enables it by name (`tools.on`). Default true. */
  readonly defaultOn?: boolean;
  /**
   * Every operation it runs. A caller who is offered all of them is offered the tool; scopes, toggles and
   * read-only vaults apply through them.
   */
  readonly operations: readonly Operation[];
  /** The tool for callers offered the reading form of its operations; absent = the same tool. */
  readonly reading?: CatalogueTool;
  /** Undefined = listed always. */
  readonly toolset?: Toolset;
  /** A call that names no vault is answered for all of them together. */
  readonly overview?: boolean;
  /**
   * Answers a call. Checks the arguments itself, or leaves that to `context.run`.
   *
   * @throws LecternError to be worded by {@link Catalogue.failure}
   * @throws JsonRpcError to be sent unchanged
   */
  call(given: unknown, context: ToolContext): Promise<ToolAnswer>;
}

/** The lookups of a session: changes are made only by operations, which every door has and rules can name. */
export type VaultLookups = Omit<
  VaultSession,
  keyof WritingSession | 'as' | 'failed' | 'replayRead' | 'replayWrite' | 'reindex' | 'configuration'
> &
  Pick<WritingSession, 'history' | 'trashList'>;

/** The context of a tool or a resource during one call. */
export interface CallContext extends OperationContext {
  /** Names of the vaults the caller may choose from, in the server's order; empty when there is only one. */
  readonly vaults: readonly string[];
  /**
   * The vault of the call as the caller sees it, for lookups before and after an operation: every method
   * applies scopes and path rules. Opened on first use.
   *
   * @param name another vault than the call's own
   * @throws LecternError `not_found` for an unknown name
   */
  vault(name?: string): Promise<VaultLookups>;
  /**
   * Runs an operation as every door does: checked input, replay, audit.
   *
   * @throws LecternError as the operation does; `invalid_input` for input it does not accept
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
   * Adds the tools of a set to this connection's list.
   *
   * @returns false where lists are the same for every connection (2026-07-28, and systems without sessions)
   */
  showToolset(set: Toolset): boolean;
}

/** A failed call, for messages with the caller's own identifiers. */
export interface FailedToolCall {
  readonly tool: CatalogueTool;
  /** The arguments as received. */
  readonly given: unknown;
}

/** The answer to a client: blocks in order, and `isError` only where it is set. */
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

/** The tool needs answers from the client: it is called again with them. */
export interface InputQuestion {
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly state: unknown;
}

export type ToolOutcome =
  | { readonly kind: 'answer'; readonly answer: ToolAnswer }
  | { readonly kind: 'question'; readonly question: InputQuestion };

/** Resources of a catalogue, under URIs with a common prefix. */
export interface ResourceSource {
  /** Prefix of their URIs, e.g. `card://`. */
  readonly prefix: string;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** Every operation that reading one runs: a caller must be offered all of them. Default none. */
  readonly operations?: readonly Operation[];
  /**
   * @throws LecternError `not_found` when there is none, or JsonRpcError in the system's own words
   */
  read(uri: string, context: CallContext): Promise<ReadResourceResult>;
  /**
   * Calls the listener on every later change until the returned function is called. Absent = its resources
   * never change.
   */
  watch?(uri: string, tell: () => void): () => void;
}

/** An answer of one text. */
export function textAnswer(text: string, isError = false): ToolAnswer {
  return { content: [{ type: 'text', text }], ...(isError && { isError: true }) };
}
