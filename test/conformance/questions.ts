import type { InputRequest } from '../../src/operations/call/dialogue.ts';

/** Requests to the client as the scenarios expect them. */

export function form(
  message: string,
  properties: Record<string, unknown>,
  required?: string[],
): InputRequest {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: { type: 'object', properties, ...(required && { required }) },
    },
  };
}

/** A form of one text field. */
export function askFor(field: string, message: string): InputRequest {
  return form(message, { [field]: { type: 'string' } }, [field]);
}

export const CONFIRM = form('Please confirm', { ok: { type: 'boolean' } }, ['ok']);

export function sampling(prompt: string, maxTokens = 100): InputRequest {
  return {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
  };
}

export const ROOTS: InputRequest = { method: 'roots/list', params: {} };

/** The text that the client's model answered with. */
export function sampledText(answer: unknown): string | undefined {
  const { content } = (answer ?? {}) as { content?: { text?: string } };
  return content?.text;
}
