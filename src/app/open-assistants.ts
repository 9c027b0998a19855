import { EXTRACTIVE } from '../ai/extractive.ts';
import type { AiSetting } from '../config/ai-setting.ts';
import type { Assistants } from '../operations/call/assistants.ts';

/**
 * Who answers what asks a model, as the owner's settings say.
 *
 * @returns undefined where they say nobody
 */
export function openAssistants(setting: AiSetting): Assistants | undefined {
  switch (setting.provider) {
    case 'none':
      return undefined;
    default:
      return () => EXTRACTIVE;
  }
}
