import type { ContentBlock } from '@modelcontextprotocol/server';
import type { Dialogue } from '../operations/call/dialogue.ts';
import type { VaultSession } from '../vault/session.ts';

/** Shared by every prompt: what it takes, what it may use, and how it is filled. */
export interface PromptDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Recommended allow-list of tools for the conversation that follows. */
  readonly tools: readonly string[];
  /** Tools that show the data the prompt is filled with: without them it is not offered. */
  readonly needs: readonly string[];
  /** The one vault it belongs to; undefined = any. */
  readonly vault?: string;
  /**
   * The user's message, and data that goes along.
   *
   * @param uriOf writes the URI of a file of the vault
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
  /** Values to offer, best first. */
  readonly values?: () => readonly string[];
}

export type PromptArguments = Readonly<Record<string, string>>;

export interface FilledPrompt {
  readonly text: string;
  readonly attached?: readonly ContentBlock[];
}
