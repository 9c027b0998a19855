import type { IncomingMessage } from 'node:http';
import type { HttpRefusal } from '../catalogues/protocol.ts';
import { hasTooManyValues, MESSAGE_VALUES } from '../mcp/json-values.ts';
import { badRequest, parseError, tooLarge } from './answers.ts';
import { requestText } from './request-text.ts';

export type RequestJson =
  | { readonly kind: 'body'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly why: HttpRefusal; readonly response: Response };

/** The body of a request, or the response for one that is too large, incomplete or not JSON. */
export async function requestJson(incoming: IncomingMessage, maxBytes: number): Promise<RequestJson> {
  let text: string | undefined;
  try {
    text = await requestText(incoming, maxBytes);
  } catch (error) {
    const response =
      error instanceof TypeError
        ? parseError('the body is not UTF-8')
        : badRequest('The body did not arrive.');
    return { kind: 'refused', why: 'not_json', response };
  }
  if (text === undefined) return { kind: 'refused', why: 'too_large', response: tooLarge(maxBytes) };
  if (hasTooManyValues(text)) {
    const response = badRequest(`The body has more than ${MESSAGE_VALUES} values.`);
    return { kind: 'refused', why: 'too_large', response };
  }
  try {
    return { kind: 'body', body: JSON.parse(text) };
  } catch {
    return { kind: 'refused', why: 'not_json', response: parseError('the body is not JSON') };
  }
}
