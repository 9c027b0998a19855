import type { CompleteResult } from '@modelcontextprotocol/server';
import { completion, startingWith } from './completion.ts';
import { findPrompt } from './prompts.ts';
import type { PromptSource } from './room.ts';

/** Values for an argument of a prompt; none for free text. */
export async function completePromptArgument(
  prompt: string,
  argument: { readonly name: string; readonly value: string },
  source: PromptSource,
): Promise<CompleteResult> {
  const found = await findPrompt(prompt, source);
  const values = found.arguments.find(({ name }) => name === argument.name)?.values?.() ?? [];
  return completion(startingWith(argument.value, values));
}
