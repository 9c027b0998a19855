import { randomUUID } from 'node:crypto';
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import {
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Catalogue, CatalogueIdentity, ToolAnswer } from '../catalogues/catalogue.ts';
import { JsonRpcError } from '../catalogues/json-rpc-error.ts';
import type { Log } from '../config/log.ts';
import type { Assistants } from '../operations/call/assistants.ts';
import type { Toolset } from '../operations/operation.ts';
import type { Actor, VaultSession } from '../vault/session.ts';
import { CACHE_HINT, serverInfoOf } from './handshake.ts';
import { progressReporter } from './progress.ts';
import { registerPrompts } from './prompts.ts';
import { ProtocolServer } from './protocol-server.ts';
import { Questions } from './questions.ts';
import { registerResources, type UpdateSender } from './resources.ts';
import type { McpRoom } from './room.ts';
import type { Subscriptions } from './subscriptions.ts';
import { type CallWatcher, callLimit, runToolCall } from './tool-call.ts';
import { toolList } from './tool-list.ts';

/** The lists a client may cache. */
export type ListName = 'tools' | 'resources' | 'prompts';

export interface McpServerOptions {
  readonly identity: CatalogueIdentity;
  /** Lectern's version, for catalogues whose system has none. */
  readonly version: string;
  /** Loads the tools; awaited by the first request that needs them, not by the handshake. */
  readonly catalogue: () => Promise<Catalogue>;
  /**
   * Opens a vault for one caller: the one of that name, or the only one. A rejection becomes the call's
   * error, and the next call tries again.
   */
  readonly vault: (actor: Actor, name?: string) => Promise<VaultSession>;
  readonly log: Log;
  /** Registers a listener for changed lists; returns a function that removes it. */
  readonly onListsChanged?: (tell: (lists: readonly ListName[]) => void) => () => void;
  /** The caller's name in the journal. Default: the client's own name, one session per connection. */
  readonly caller?: (client: string) => Omit<Actor, 'kind'>;
  /**
   * Time limit of a call, ms, after which it is answered with `timeout`; the catalogue may set a lower one.
   * Default: none.
   */
  readonly callLimitMs?: number;
  /** Called at the begin and end of every call. */
  readonly watch?: CallWatcher;
  /** Answers tools that ask a language model; undefined = no model. */
  readonly assistants?: Assistants | undefined;
}

/**
 * One MCP server for one connection, built from a catalogue. It uses the SDK's low-level server: the
 * high-level one would convert every schema again for each connection and word errors about arguments itself.
 */
export function createMcpServer(options: McpServerOptions): Server {
  return createMcpConnection(options).server;
}

/**
 * The same together with its client's subscriptions, for doors that receive subscriptions themselves.
 *
 * @param send sends a change under its subscription; undefined = in the one stream of older revisions
 */
export function createMcpConnection(
  options: McpServerOptions,
  send?: UpdateSender,
): { server: Server; subscriptions: Subscriptions } {
  const { identity, log } = options;
  const { protocol } = identity;
  const connection = randomUUID();
  const caller = (client: string) => options.caller?.(client) ?? { name: client, session: connection };
  const questions = new Questions((context) => caller(clientName(server, context)).session);
  const server: Server = new ProtocolServer(serverInfoOf(identity, options.version), {
    capabilities: protocol.capabilities,
    supportedProtocolVersions: [...protocol.revisions],
    ...(identity.instructions !== undefined && { instructions: identity.instructions }),
    requestState: questions.requestState,
    cacheHints: {
      'tools/list': CACHE_HINT,
      'server/discover': CACHE_HINT,
      'resources/templates/list': CACHE_HINT,
    },
  });
  const sessions = new Map<string | undefined, Promise<VaultSession>>();
  const openSession = async (client: string, given?: string): Promise<VaultSession> => {
    const vault = given ?? (await options.catalogue()).vaults?.[0];
    const known = sessions.get(vault);
    if (known !== undefined) return await known;
    const opened = options.vault({ kind: 'mcp', ...caller(client) }, vault).catch((error: unknown) => {
      sessions.delete(vault);
      throw error;
    });
    sessions.set(vault, opened);
    return await opened;
  };

  const shown = new Set<Toolset>();
  const showToolset = (set: Toolset): void => {
    if (shown.has(set)) return;
    shown.add(set);
    server
      .sendToolListChanged()
      .catch((error: unknown) => log.debug({ err: error }, 'a notification was not sent'));
  };

  server.setRequestHandler('tools/list', async (request) => {
    if (request.params?.cursor) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Unknown cursor: the list of tools has one page.',
      );
    }
    return { ...toolList(await options.catalogue(), shown) };
  });

  server.setRequestHandler('tools/call', async (request, context) => {
    const catalogue = await options.catalogue();
    const { name, arguments: given } = request.params;
    const call = { method: 'tools/call', name, arguments: given } as const;
    const dialogue = questions.dialogue(server, context, call);
    const progress = progressReporter(context);
    const client = clientName(server, context);
    try {
      const outcome = await runToolCall(
        {
          catalogue,
          name,
          arguments: given,
          vault: (vault) => openSession(client, vault),
          context: {
            signal: context.mcpReq.signal,
            progress: progress.report,
            partial: progress.partial,
            dialogue,
            assistants: options.assistants,
          },
          ...(!isStateless(context) && { showToolset }),
        },
        { ...options, callLimitMs: callLimit(options) },
      );
      if (outcome.kind === 'answer') return toResult(outcome.answer);
      return await questions.ask(outcome.question.requests, outcome.question.state, context, call);
    } catch (error) {
      throw error instanceof JsonRpcError ? new ProtocolError(error.code, error.message, error.data) : error;
    } finally {
      progress.finish();
    }
  });

  const room: McpRoom = {
    catalogue: options.catalogue,
    vault: openSession,
    clientName: (context) => clientName(server, context),
    questions,
    assistants: options.assistants,
    log,
  };
  const subscriptions = registerResources(server, room, protocol.capabilities, send);
  if ('prompts' in protocol.capabilities) registerPrompts(server, room, subscriptions);
  // Clients of older revisions get no notification before they are initialized; a server made for one
  // stateless request has no client to notify.
  if (send === undefined) server.oninitialized = () => tellListChanges(server, subscriptions, options);
  else tellListChanges(server, subscriptions, options);
  return { server, subscriptions };
}

function tellListChanges(
  server: Server,
  subscriptions: Subscriptions,
  { identity, onListsChanged, log }: McpServerOptions,
): void {
  const stop = onListsChanged?.((lists) => {
    // A vault with waiting subscriptions may be available again.
    if (lists.includes('resources'))
      subscriptions
        .resume()
        .catch((error: unknown) => log.warn({ err: error }, 'cannot take up a subscription'));
    for (const list of lists.filter((list) => tells(identity.protocol.capabilities[list]))) {
      const sending =
        list === 'tools'
          ? server.sendToolListChanged()
          : list === 'resources'
            ? server.sendResourceListChanged()
            : server.sendPromptListChanged();
      sending.catch((error: unknown) => log.debug({ err: error }, 'a notification was not sent'));
    }
  });
  if (stop === undefined) return;
  const ended = server.onclose;
  server.onclose = () => {
    stop();
    ended?.();
  };
}

/** Whether clients were promised notifications about a list. */
function tells(capability: object | undefined): boolean {
  return capability !== undefined && 'listChanged' in capability && capability.listChanged === true;
}

function toResult({ content, structuredContent, ...rest }: ToolAnswer): CallToolResult {
  return {
    content: [...content],
    ...(structuredContent !== undefined && { structuredContent: { ...structuredContent } }),
    ...rest,
  };
}

/** A stateless request has no connection, so its lists are the same for every client. */
function isStateless({ mcpReq }: ServerContext): boolean {
  return PROTOCOL_VERSION_META_KEY in { ...mcpReq.envelope };
}

/** Newer clients name themselves in every request, older ones once in the handshake. */
function clientName(server: Server, context: ServerContext): string {
  const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope };
  const info = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const name = typeof info === 'object' && info !== null && 'name' in info ? info.name : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, 100) : 'unnamed client';
}
