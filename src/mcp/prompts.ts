import type { GetPromptResult, ListPromptsResult, Server } from '@modelcontextprotocol/server';
import type { PromptArguments, PromptDefinition } from '../catalogues/prompt.ts';
import { vaultNamed } from '../catalogues/several-vaults.ts';
import { isLecternError, LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import { type Dialogue, InputNeeded } from '../operations/call/dialogue.ts';
import { checkArguments } from './prompt.ts';
import { BUILTIN_PROMPTS } from './prompt-builtin.ts';
import { promptName, promptNotes } from './prompt-notes.ts';
import { orProtocolError } from './resource-errors.ts';
import { NOTICE_META } from './resource-list.ts';
import { fileUri } from './resource-uri.ts';
import { type McpRoom, type PromptSource, sourceFor } from './room.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Key under which a prompt lists the tools it is meant for. */
const TOOLS_META = 'lectern/tools';

/** The built-in prompts and the owner's own, limited to what the caller may see. */
export function registerPrompts(server: Server, room: McpRoom, subscriptions: Subscriptions): void {
  const { log, questions } = room;

  server.setRequestHandler('prompts/list', (_request, context) =>
    orProtocolError({}, log, async () => {
      const client = room.clientName(context);
      await subscriptions.watchLists(client);
      const source = await sourceFor(room, client, context.mcpReq.signal);
      const list = listed(await offeredPrompts(source));
      const notice = await staleness(source);
      return notice === undefined ? list : { ...list, _meta: { [NOTICE_META]: notice } };
    }),
  );
  server.setRequestHandler('prompts/get', (request, context) => {
    const { name, arguments: given = {} } = request.params;
    return orProtocolError({ name }, log, async () => {
      const source = await sourceFor(room, room.clientName(context), context.mcpReq.signal);
      const prompt = await findPrompt(name, source);
      const call = { method: 'prompts/get', name, arguments: given } as const;
      const dialogue = questions.dialogue(server, context, call);
      try {
        return await filled(prompt, given, source, dialogue);
      } catch (error) {
        if (!(error instanceof InputNeeded)) throw error;
        return await questions.ask(error.requests, error.state, context, call);
      }
    });
  });
}

/** @throws LecternError `not_found` with the existing prompts */
export async function findPrompt(name: string, source: PromptSource): Promise<PromptDefinition> {
  const prompts = await offeredPrompts(source);
  const found = prompts.find((prompt) => prompt.name === name);
  if (found !== undefined) return found;
  const names = prompts.map((prompt) => prompt.name);
  const meant = closest(name, names);
  throw new LecternError('not_found', `There is no prompt ${JSON.stringify(name.slice(0, 100))}.`, {
    details: { prompts: names },
    next: meant === undefined ? `Prompts: ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

/** The notice of the first vault with an incomplete index: prompts that are notes may be missing. */
async function staleness({ offers, vaults, vault }: PromptSource): Promise<string | undefined> {
  if (!offers('note_read')) return undefined;
  const sessions = await Promise.allSettled((vaults ?? [undefined]).map((name) => vault(name)));
  return sessions
    .map((session) => (session.status === 'fulfilled' ? session.value.staleness() : undefined))
    .find((notice) => notice !== undefined);
}

/** An owner's prompt replaces a built-in prompt of the same name. */
async function offeredPrompts(source: PromptSource): Promise<readonly PromptDefinition[]> {
  const { offers, vaults, vault, prompts } = source;
  const own = !offers('note_read')
    ? []
    : vaults === undefined
      ? await promptNotes(await vault())
      : await ownOfAll(vaults, vault);
  const names = new Set(own.map(({ name }) => name));
  const builtin = [...BUILTIN_PROMPTS.filter(({ needs }) => needs.every(offers)), ...prompts].filter(
    ({ name }) => !names.has(name),
  );
  if (vaults === undefined) return [...builtin, ...own];
  return [...builtin.map((prompt) => withVaultArgument(prompt, vaults)), ...own];
}

/**
 * The owner's prompts of every vault that can be opened: those of the first under their own names, those of
 * the others with the vault's name in front. A prompt of one vault works on that vault.
 */
async function ownOfAll(
  vaults: readonly string[],
  open: PromptSource['vault'],
): Promise<readonly PromptDefinition[]> {
  const all = await Promise.all(
    vaults.map(async (vault, at) => {
      const notes = await open(vault).then(promptNotes).catch(ifUnavailable);
      return notes.map((prompt) => ({
        ...prompt,
        name: at === 0 ? prompt.name : `${promptName(vault)}_${prompt.name}`,
        vault,
      }));
    }),
  );
  const byName = new Map<string, PromptDefinition>();
  for (const prompt of all.flat()) if (!byName.has(prompt.name)) byName.set(prompt.name, prompt);
  return [...byName.values()];
}

function withVaultArgument(prompt: PromptDefinition, vaults: readonly string[]): PromptDefinition {
  const description = `Which vault; ${vaults[0]} when left out`;
  return {
    ...prompt,
    arguments: [{ name: 'vault', description, values: () => vaults }, ...prompt.arguments],
  };
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
  { offers, vaults, vault: open }: PromptSource,
  dialogue: Dialogue,
): Promise<GetPromptResult> {
  checkArguments(prompt, given);
  const vault = vaults && (prompt.vault ?? vaultNamed(vaults, given.vault?.trim() || vaults[0]));
  const uriOf = (path: string) => fileUri(path, vault === vaults?.[0] ? undefined : vault);
  const session = await open(vault);
  const notice = session.staleness();
  const { text, attached = [] } = await prompt.fill(session, given, uriOf, dialogue);
  const tools = prompt.tools.filter(offers);
  const place =
    vault === undefined
      ? ''
      : `\n\nAll of this is in the vault ${JSON.stringify(vault)}: pass vault: ${JSON.stringify(vault)} with every tool.`;
  const advice = tools.length === 0 ? '' : `\n\nTools for this: ${tools.join(', ')}.`;
  return {
    description: prompt.description,
    messages: [
      {
        role: 'user',
        content: {
          type: 'text',
          text: `${notice === undefined ? '' : `${notice}.\n\n`}${text}${place}${advice}`,
        },
      },
      ...attached.map((content) => ({ role: 'user' as const, content })),
    ],
    ...(tools.length > 0 && { _meta: { [TOOLS_META]: tools } }),
  };
}

function ifUnavailable(error: unknown): readonly PromptDefinition[] {
  if (isLecternError(error) && error.code === 'unavailable') return [];
  throw error;
}
