import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { callContext, toolLabel } from '../catalogues/call.ts';
import type { ResourceSource } from '../catalogues/catalogue.ts';
import { LecternError } from '../errors.ts';
import type { VaultSession } from '../vault/session.ts';
import { completeTemplateArgument } from './completion.ts';
import { completePromptArgument } from './prompt-completion.ts';
import { isPromptPath } from './prompt-notes.ts';
import { orProtocolError } from './resource-errors.ts';
import { listResources, listTemplates } from './resource-list.ts';
import { assertOffered, projectionFingerprint, type ResourceReader, readResource } from './resource-read.ts';
import { parseResourceUri } from './resource-uri.ts';
import { type McpRoom, offeredOperations, sourceFor } from './room.ts';
import { type SubscriptionId, Subscriptions } from './subscriptions.ts';

/** Sends a change to the client under its subscription. */
export type UpdateSender = (id: SubscriptionId, uri: string) => Promise<void>;

/**
 * Resources, their templates, completion and subscriptions. A caller gets a resource when it is offered the
 * tool that shows the same.
 *
 * @param capabilities as announced to clients: other requests are not answered
 * @param send for revisions in which a subscription has an id; older ones have one stream for all
 */
export function registerResources(
  server: Server,
  room: McpRoom,
  capabilities: Readonly<Record<string, object>>,
  send?: UpdateSender,
): Subscriptions {
  const { log } = room;
  const sourceOf = async (uri: string): Promise<ResourceSource | undefined> => {
    const { resources = [], vaultResources } = await room.catalogue();
    const source = resources.find(({ prefix }) => uri.startsWith(prefix));
    if (source === undefined && vaultResources !== true)
      throw new LecternError('not_found', 'There is no such resource.');
    return source;
  };
  const targetOf = async (uri: string) => parseResourceUri(uri, (await room.catalogue()).vaults);
  const offeredOperation = async () => {
    const operations = offeredOperations(await room.catalogue());
    return (name: string) => operations.get(name);
  };
  const readSource = async (source: ResourceSource, uri: string, context: ServerContext) => {
    const catalogue = await room.catalogue();
    const client = room.clientName(context);
    const call = {
      catalogue,
      vault: (name?: string) => room.vault(client, name),
      context: { signal: context.mcpReq.signal, progress: () => {}, assistants: room.assistants },
    };
    const label = toolLabel(catalogue, 'resources/read');
    return await source.read(uri, callContext(call, undefined, source.operations ?? [], label));
  };
  const reader = async (vault: VaultSession, signal: AbortSignal): Promise<ResourceReader> => ({
    vault,
    operation: await offeredOperation(),
    signal,
    assistants: room.assistants,
  });

  const subscriptions = new Subscriptions({
    vault: room.vault,
    vaults: async () => (await room.catalogue()).vaults,
    async target(uri) {
      const source = await sourceOf(uri);
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
  if (!('resources' in capabilities)) return subscriptions;

  server.setRequestHandler('resources/list', (request, context) =>
    orProtocolError({}, log, async () => {
      const client = room.clientName(context);
      await subscriptions.watchLists(client);
      const { offers, vaults, vault } = await sourceFor(room, client, context.mcpReq.signal);
      const cursor = request.params?.cursor;
      const { vaultResources, resources = [] } = await room.catalogue();
      const own = cursor === undefined ? resources.flatMap((source) => source.resources) : [];
      if (vaultResources !== true) return { resources: own };
      const page = await listResources({ names: vaults, open: vault }, offers, cursor);
      return { ...page, resources: [...own, ...page.resources] };
    }),
  );
  server.setRequestHandler('resources/templates/list', async (_request, context) => {
    const { offers, vaults } = await sourceFor(room, room.clientName(context), context.mcpReq.signal);
    const { resources = [] } = await room.catalogue();
    const { resourceTemplates } = listTemplates(offers, vaults);
    return { resourceTemplates: [...resourceTemplates, ...resources.flatMap(({ templates }) => templates)] };
  });
  server.setRequestHandler('resources/read', (request, context) => {
    const { uri } = request.params;
    return orProtocolError({ uri }, log, async () => {
      const source = await sourceOf(uri);
      if (source !== undefined) return await readSource(source, uri, context);
      const target = await targetOf(uri);
      const vault = await room.vault(room.clientName(context), target.vault);
      return await readResource(uri, target, await reader(vault, context.mcpReq.signal));
    });
  });
  if ('completions' in capabilities) registerCompletion(server, room);
  if (!('subscribe' in (capabilities.resources ?? {}))) return subscriptions;
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
  return subscriptions;
}

function registerCompletion(server: Server, room: McpRoom): void {
  server.setRequestHandler('completion/complete', (request, context) =>
    orProtocolError({}, room.log, async () => {
      const { ref, argument, context: chosen } = request.params;
      const source = await sourceFor(room, room.clientName(context), context.mcpReq.signal);
      if (ref.type === 'ref/prompt') return await completePromptArgument(ref.name, argument, source);
      const { name, value: typed } = argument;
      const others = chosen?.arguments ?? {};
      return await completeTemplateArgument({ template: ref.uri, name, typed, others }, source);
    }),
  );
}
