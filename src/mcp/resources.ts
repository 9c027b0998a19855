import type { Server } from '@modelcontextprotocol/server';
import type { VaultSession } from '../vault/session.ts';
import { completeTemplateArgument } from './completion.ts';
import { completePromptArgument } from './prompt-completion.ts';
import { isPromptPath } from './prompt-notes.ts';
import { orProtocolError } from './resource-errors.ts';
import { listResources, listTemplates } from './resource-list.ts';
import { assertOffered, projectionFingerprint, type ResourceReader, readResource } from './resource-read.ts';
import { parseResourceUri } from './resource-uri.ts';
import { type McpRoom, sourceFor } from './room.ts';
import { type SubscriptionId, Subscriptions } from './subscriptions.ts';

/** Sends a change to the client under the subscription it belongs to. */
export type UpdateSender = (id: SubscriptionId, uri: string) => Promise<void>;

/**
 * Resources, their templates, completion and subscriptions. A resource is there for a caller who
 * is offered the tool that shows the same.
 *
 * @param send for revisions in which a subscription has an id; older ones have one stream for all
 */
export function registerResources(server: Server, room: McpRoom, send?: UpdateSender): Subscriptions {
  const { log, extension } = room;
  const sourceOf = (uri: string) => extension.resources.find(({ prefix }) => uri.startsWith(prefix));
  const targetOf = async (uri: string) => parseResourceUri(uri, (await room.catalogue()).vaults);
  const offeredOperation = async () => {
    const { tools } = await room.catalogue();
    return (name: string) => tools.find((tool) => tool.operation.name === name)?.operation;
  };
  const reader = async (vault: VaultSession, signal: AbortSignal): Promise<ResourceReader> => ({
    vault,
    operation: await offeredOperation(),
    signal,
  });

  const subscriptions = new Subscriptions({
    vault: room.vault,
    vaults: async () => (await room.catalogue()).vaults,
    async target(uri) {
      const source = sourceOf(uri);
      if (source !== undefined) return { kind: 'other', source };
      const target = await targetOf(uri);
      assertOffered(target.kind, { operation: await offeredOperation() });
      return target;
    },
    fingerprint: async (uri, target, vault) =>
      projectionFingerprint(uri, target, await reader(vault, new AbortController().signal)),
    updated: send ?? ((_id, uri) => server.sendResourceUpdated({ uri })),
    shared: send === undefined,
    listChanged: (list) =>
      list === 'resources' ? server.sendResourceListChanged() : server.sendPromptListChanged(),
    isPrompt: (path, vault) => isPromptPath(path, vault.places().prompts),
    log,
  });
  server.onclose = () => subscriptions.end();

  server.setRequestHandler('resources/list', (request, context) =>
    orProtocolError({}, log, async () => {
      const client = room.clientName(context);
      await subscriptions.watchLists(client);
      const { offers, vaults, vault } = await sourceFor(room, client, context.mcpReq.signal);
      const cursor = request.params?.cursor;
      const page = await listResources({ names: vaults, open: vault }, offers, cursor);
      const others = cursor === undefined ? extension.resources.flatMap(({ resources }) => resources) : [];
      return { ...page, resources: [...others, ...page.resources] };
    }),
  );
  server.setRequestHandler('resources/templates/list', async (_request, context) => {
    const { offers, vaults } = await sourceFor(room, room.clientName(context), context.mcpReq.signal);
    const { resourceTemplates } = listTemplates(offers, vaults);
    const others = extension.resources.flatMap(({ templates }) => templates);
    return { resourceTemplates: [...resourceTemplates, ...others] };
  });
  server.setRequestHandler('resources/read', (request, context) => {
    const { uri } = request.params;
    return orProtocolError({ uri }, log, async () => {
      const source = sourceOf(uri);
      if (source !== undefined) return await source.read(uri);
      const target = await targetOf(uri);
      const vault = await room.vault(room.clientName(context), target.vault);
      return await readResource(uri, target, await reader(vault, context.mcpReq.signal));
    });
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
      const { ref, argument, context: chosen } = request.params;
      const source = await sourceFor(room, room.clientName(context), context.mcpReq.signal);
      if (ref.type === 'ref/prompt') return await completePromptArgument(ref.name, argument, source);
      const { name, value: typed } = argument;
      const others = chosen?.arguments ?? {};
      return await completeTemplateArgument({ template: ref.uri, name, typed, others }, source);
    }),
  );
  return subscriptions;
}
