import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Catalogue } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import type { VaultSession } from '../vault/session.ts';
import { completeTemplateArgument } from './completion.ts';
import { completePromptArgument } from './prompt-completion.ts';
import { isPromptPath } from './prompt-notes.ts';
import { orProtocolError } from './resource-errors.ts';
import { listResources, listTemplates } from './resource-list.ts';
import { assertOffered, projectionFingerprint, type ResourceReader, readResource } from './resource-read.ts';
import { type SubscriptionId, Subscriptions } from './subscriptions.ts';

/** What the handlers of one connection work with. */
export interface McpRoom {
  readonly catalogue: () => Promise<Catalogue>;
  readonly vault: (client: string) => Promise<VaultSession>;
  readonly clientName: (context: ServerContext) => string;
  readonly log: Log;
}

/** Sends a change to the client under the subscription it belongs to. */
export type UpdateSender = (id: SubscriptionId, uri: string) => Promise<void>;

/**
 * Resources, their templates, completion and subscriptions. A resource is there for a caller who
 * is offered the tool that shows the same.
 *
 * @param send for revisions in which a subscription has an id; older ones have one stream for all
 */
export function registerResources(server: Server, room: McpRoom, send?: UpdateSender): Subscriptions {
  const { log } = room;
  const vaultFor = (context: ServerContext) => room.vault(room.clientName(context));
  const offeredOperation = async () => {
    const { tools } = await room.catalogue();
    return (name: string) => tools.find((tool) => tool.operation.name === name)?.operation;
  };
  const offers = async () => {
    const operation = await offeredOperation();
    return (name: string) => operation(name) !== undefined;
  };
  const reader = async (vault: VaultSession, signal: AbortSignal): Promise<ResourceReader> => ({
    vault,
    operation: await offeredOperation(),
    signal,
  });

  const subscriptions = new Subscriptions({
    vault: room.vault,
    assertOffered: async (kind) => void assertOffered(kind, { operation: await offeredOperation() }),
    fingerprint: async (uri, vault) =>
      projectionFingerprint(uri, await reader(vault, new AbortController().signal)),
    updated: send ?? ((_id, uri) => server.sendResourceUpdated({ uri })),
    shared: send === undefined,
    listChanged: (list) =>
      list === 'resources' ? server.sendResourceListChanged() : server.sendPromptListChanged(),
    isPrompt: isPromptPath,
    log,
  });
  server.onclose = () => subscriptions.end();

  server.setRequestHandler('resources/list', (request, context) =>
    orProtocolError({}, log, async () => {
      await subscriptions.watchLists(room.clientName(context));
      return await listResources(await vaultFor(context), await offers(), request.params?.cursor);
    }),
  );
  server.setRequestHandler('resources/templates/list', async () => listTemplates(await offers()));
  server.setRequestHandler('resources/read', (request, context) => {
    const { uri } = request.params;
    return orProtocolError({ uri }, log, async () =>
      readResource(uri, await reader(await vaultFor(context), context.mcpReq.signal)),
    );
  });
  server.setRequestHandler('resources/subscribe', (request, context) => {
    const { uri } = request.params;
    return orProtocolError({ uri }, log, async () => {
      await subscriptions.open(uri, [uri], room.clientName(context));
      return {};
    });
  });
  server.setRequestHandler('resources/unsubscribe', (request) => {
    subscriptions.close(request.params.uri);
    return {};
  });
  server.setRequestHandler('completion/complete', (request, context) =>
    orProtocolError({}, log, async () => {
      const { ref, argument } = request.params;
      const vault = () => vaultFor(context);
      return ref.type === 'ref/prompt'
        ? await completePromptArgument(ref.name, argument, await offers(), vault)
        : await completeTemplateArgument(argument.name, argument.value, await offers(), vault);
    }),
  );
  return subscriptions;
}
