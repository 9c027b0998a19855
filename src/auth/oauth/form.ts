import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 16 * 1024;

/** Reads a posted form. @returns undefined when the body is not a form or is too large */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  // Stopping early must not destroy the request: the response is still sent on its connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(bytes);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/** Whether a form was sent from one of this server's own pages (browsers state it with every post). */
export function isOwnForm(request: IncomingMessage, origin: string): boolean {
  const { origin: from, 'sec-fetch-site': site } = request.headers;
  return (from === undefined || from === origin) && (site === undefined || site === 'same-origin');
}
