import type { Assistant } from '../../ai/assistant.ts';
import { LecternError } from '../../errors.ts';
import type { SentToModel } from '../../vault/session.ts';
import type { Dialogue } from './dialogue.ts';

/** What an assistant needs to know about a call. */
export interface AssistedCall {
  readonly signal: AbortSignal;
  /** For the client's own model; undefined where there is no client to ask. */
  readonly dialogue: Dialogue | undefined;
  /** Reports to the audit log what was sent where. */
  sent(request: SentToModel): void;
}

/** Gives each call an assistant of its own, which tracks what the call has used. */
export type Assistants = (call: AssistedCall) => Assistant;

/** Operations that exist only when `ai.provider` is set. */
export function needsAssistant({ toolset }: { readonly toolset: string }): boolean {
  return toolset === 'ai';
}

export function noAssistant(): LecternError {
  return new LecternError('ai_unavailable', 'No language model is configured, nor answers by extraction.', {
    next: 'Ask the owner to set ai.provider: builtin needs no model and no key.',
  });
}
