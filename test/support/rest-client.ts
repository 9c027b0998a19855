import { Hono } from 'hono';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { restApp } from '../../src/http/rest/app.ts';
import type { Assistants } from '../../src/operations/call/assistants.ts';
import type { Offer } from '../../src/operations/offer.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import type { VaultSession } from '../../src/vault/session.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Everything there is. */
export const WHOLE: Offer = { operations: OPERATIONS };

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; what it really holds is what tests check. */
  readonly body: {
    readonly ok?: boolean;
    readonly data: Record<string, unknown> & { readonly etag: string };
    readonly error: { readonly status: number; readonly code: string; readonly detail: string };
  };
}

/** Sends requests to the REST app without a socket. */
export function restClient(
  session: VaultSession,
  offer: Offer = WHOLE,
  assistants: Assistants | 'none' = () => EXTRACTIVE,
) {
  const app = new Hono();
  app.route(
    '/v1',
    restApp({
      whole: WHOLE,
      caller: () => ({ offer, vault: async () => session, ...(assistants !== 'none' && { assistants }) }),
      version: '1.0.0',
      log: quiet,
      maxBodyBytes: 1024 * 1024,
    }),
  );
  const raw = (method: string, path: string, init: RequestInit = {}): Response | Promise<Response> =>
    app.request(path, { method, ...init });
  return {
    raw,
    async send(
      method: string,
      path: string,
      { json, headers, body }: { json?: unknown; headers?: Record<string, string>; body?: string } = {},
    ): Promise<RestAnswer> {
      const response = await raw(method, path, {
        headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(json !== undefined ? { body: JSON.stringify(json) } : body !== undefined ? { body } : {}),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('application/json') === true;
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text !== '' ? JSON.parse(text) : {},
      };
    },
  };
}
