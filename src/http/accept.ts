/** What the SDK's transport insists on, as the standard lets it. */
const BOTH = 'application/json, text/event-stream';

export type AnswerForm = 'as_is' | 'json';

/**
 * The request as the SDK's transport wants to see it. Its body was read before, so it goes without.
 * A client that takes anything, or says nothing, gets what it would get had it named both types;
 * one that only takes JSON gets the stream collected by {@link collectJson}.
 */
export function readable(request: Request): { request: Request; form: AnswerForm } {
  const accept = request.headers.get('accept');
  const takes = (type: string) => accept?.toLowerCase().includes(type) === true;
  const anything = accept === null || takes('*/*');
  const json = takes('application/json');
  const form = json && !takes('text/event-stream') && !anything ? 'json' : 'as_is';
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  if (request.method === 'POST' && (anything || json)) headers.set('accept', BOTH);
  return {
    request: new Request(request.url, { method: request.method, headers, signal: request.signal }),
    form,
  };
}

/** Turns a stream of events that ends into one JSON body: the answer, or the answers to a batch. */
export async function collectJson(response: Response, isBatch: boolean): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const answers: unknown[] = [];
  for (const event of (await response.text()).split('\n\n')) {
    const data = /^data: (.+)$/m.exec(event)?.[1];
    const message: unknown = data === undefined ? undefined : JSON.parse(data);
    if (typeof message === 'object' && message !== null && !('method' in message)) answers.push(message);
  }
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify(isBatch ? answers : answers[0]), { status: response.status, headers });
}
