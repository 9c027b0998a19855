import type { GetPromptResult, ListPromptsResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import type { VaultSession } from '../vault/session.ts';
import { checkArguments, type PromptArguments, type PromptDefinition } from './prompt.ts';
import { BUILTIN_PROMPTS } from './prompt-builtin.ts';
import { promptNotes } from './prompt-notes.ts';
import { orProtocolError } from './resource-errors.ts';
import type { McpRoom } from './resources.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Key under which a prompt says which tools it is meant for. */
const TOOLS_META = 'lectern/tools';

type Offers = (tool: string) => boolean;

/** Prompts: the built-in ones and the owner's own, as far as the caller may see what they are filled with. */
export function registerPrompts(server: Server, room: McpRoom, subscriptions: Subscriptions): void {
  const { log } = room;
  const vaultFor = (context: ServerContext) => room.vault(room.clientName(context));
  const offers = async (): Promise<Offers> => {
    const { tools } = await room.catalogue();
    return (name) => tools.some((tool) => tool.operation.name === name);
  };

  server.setRequestHandler('prompts/list', (_request, context) =>
    orProtocolError({}, log, async () => {
      await subscriptions.watchLists(room.clientName(context));
      return listed(await offeredPrompts(await offers(), () => vaultFor(context)));
    }),
  );
  server.setRequestHandler('prompts/get', (request, context) => {
    const { name, arguments: given = {} } = request.params;
    return orProtocolError({ name }, log, async () => {
      const offered = await offers();
      const prompt = await findPrompt(name, offered, () => vaultFor(context));
      return await filled(prompt, given, offered, await vaultFor(context));
    });
  });
}

/** @throws LecternError `not_found` with the prompts there are */
export async function findPrompt(
  name: string,
  offers: Offers,
  vault: () => Promise<VaultSession>,
): Promise<PromptDefinition> {
  const prompts = await offeredPrompts(offers, vault);
  const found = prompts.find((prompt) => prompt.name === name);
  if (found !== undefined) return found;
  const names = prompts.map((prompt) => prompt.name);
  const meant = closest(name, names);
  throw new LecternError('not_found', `There is no prompt ${JSON.stringify(name.slice(0, 100))}.`, {
    details: { prompts: names },
    next: meant === undefined ? `Prompts: ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

/** One of the owner's own takes the place of a built-in prompt of the same name. */
async function offeredPrompts(
  offers: Offers,
  vault: () => Promise<VaultSession>,
): Promise<readonly PromptDefinition[]> {
  const own = offers('note_read') ? await promptNotes(await vault()) : [];
  const names = new Set(own.map(({ name }) => name));
  const builtin = BUILTIN_PROMPTS.filter(({ name, needs }) => !names.has(name) && needs.every(offers));
  return [...builtin, ...own];
}

function listed(prompts: readonly PromptDefinition[]): ListPromptsResult {
  return {
    prompts: prompts.map((prompt) => ({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.arguments.map(({ name, description, required }) => ({
        name,
        ...(description !== undefined && { description }),
        required: required ?? false,
      })),
      ...(prompt.tools.length > 0 && { _meta: { [TOOLS_META]: [...prompt.tools] } }),
    })),
  };
}

async function filled(
  prompt: PromptDefinition,
  given: PromptArguments,
  offers: Offers,
  vault: VaultSession,
): Promise<GetPromptResult> {
  checkArguments(prompt, given);
  const { text, attached = [] } = await prompt.fill(vault, given);
  const tools = prompt.tools.filter(offers);
  const advice = tools.length === 0 ? '' : `\n\nTools for this: ${tools.join(', ')}.`;
  return {
    description: prompt.description,
    messages: [
      { role: 'user', content: { type: 'text', text: `${text}${advice}` } },
      ...attached.map((content) => ({ role: 'user' as const, content })),
    ],
    ...(tools.length > 0 && { _meta: { [TOOLS_META]: tools } }),
  };
}
