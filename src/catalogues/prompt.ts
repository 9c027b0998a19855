import type { ContentBlock } from '@modelcontextprotocol/server';
import type { Dialogue } from '../operations/call/dialogue.ts';
import type { VaultSession } from '../vault/session.ts';

/** A prompt: its arguments, the tools it may use, and how its text is made. */
export interface PromptDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Recommended allow-list of tools for the conversation after it. */
  readonly tools: readonly string[];
  /** Tools that show the same data as the prompt: it is offered only if they are. */
  readonly needs: readonly string[];
  /** The vault it belongs to; undefined = any. */
  readonly vault?: string;
  /**
   * Makes the user's message and the data sent with it.
   *
   * @param uriOf gives the URI of a file in the vault
   * @throws InputNeeded to ask for more than the arguments
   */
  fill(
    vault: VaultSession,
    given: PromptArguments,
    uriOf: (path: string) => string,
    dialogue: Dialogue,
  ): Promise<FilledPrompt>;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Suggested values, best first. */
  readonly values?: () => readonly string[];
}

export type PromptArguments = Readonly<Record<string, string>>;

export interface FilledPrompt {
  readonly text: string;
  readonly attached?: readonly ContentBlock[];
}
