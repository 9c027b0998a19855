import type { Assistant } from '../../ai/assistant.ts';
import { LecternError } from '../../errors.ts';
import type { SentToModel } from '../../vault/session.ts';
import type { Dialogue } from './dialogue.ts';

/** What an assistant has to know of the call that it is for. */
export interface AssistedCall {
  readonly signal: AbortSignal;
  /** For the model of the client; undefined where there is nobody to ask. */
  readonly dialogue: Dialogue | undefined;
  /** Tells the audit what was sent where. */
  sent(request: SentToModel): void;
}

/** Gives each call an assistant of its own, which knows what the call has spent. */
export type Assistants = (call: AssistedCall) => Assistant;

/** Operations that are there only where `ai.provider` is set. */
export function needsAssistant({ toolset }: { readonly toolset: string }): boolean {
  return toolset === 'ai';
}

export function noAssistant(): LecternError {
  return new LecternError('ai_unavailable', 'No language model is configured, nor answers by extraction.', {
    next: 'Ask the owner to set ai.provider: builtin needs no model and no key.',
  });
}
