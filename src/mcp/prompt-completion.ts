import type { CompleteResult } from '@modelcontextprotocol/server';
import type { VaultSession } from '../vault/session.ts';
import { completion, startingWith } from './completion.ts';
import { findPrompt } from './prompts.ts';

/** Values for an argument of a prompt; none when it is free text. */
export async function completePromptArgument(
  prompt: string,
  argument: { readonly name: string; readonly value: string },
  offers: (tool: string) => boolean,
  vault: () => Promise<VaultSession>,
): Promise<CompleteResult> {
  const found = await findPrompt(prompt, offers, vault);
  const values = found.arguments.find(({ name }) => name === argument.name)?.values?.() ?? [];
  return completion(startingWith(argument.value, values));
}
