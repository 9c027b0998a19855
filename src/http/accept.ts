/** Adapts the Accept header to what the SDK's transport requires, within what HTTP allows. */
const BOTH = 'application/json, text/event-stream';

export type AnswerForm = 'as_is' | 'json';

/**
 * The request in the form the SDK's transport expects. Its body was read before and is left out. A client
 * that accepts anything, or sends no Accept header, is treated as accepting both types; one that accepts only
 * JSON gets the stream collected by {@link collectJson}.
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

/** Turns a finite stream of events into one JSON body: the answer, or the answers to a batch. */
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
