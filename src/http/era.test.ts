import { isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { isLegacy } from './era.ts';

const META = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ENVELOPES = [undefined, {}, META, { [PROTOCOL_VERSION_META_KEY]: '2026-07-28' }, 'none'];
const VERSIONS = ['2025-11-25', '2026-07-28', 7];
const SHAPES: readonly Record<string, unknown>[] = [
  { id: 1 },
  {},
  { id: 1, result: {} },
  { id: 1, error: { code: 1, message: 'no' } },
  { id: null },
];

/** Valid messages, invalid ones, and values that are not messages. */
function* bodies(): Generator<unknown> {
  yield* [null, 'text', 1, [], {}, { method: 1 }, [{ jsonrpc: '2.0', id: 1, method: 'ping' }]];
  for (const method of [undefined, 'initialize', 'tools/call', 'notifications/cancelled'])
    for (const shape of SHAPES)
      for (const meta of ENVELOPES) {
        const message = { jsonrpc: '2.0', ...(method && { method }), ...shape };
        yield { ...message, params: { ...(meta !== undefined && { _meta: meta }) } };
        yield { ...message, params: meta };
        yield [{ ...message, params: { _meta: meta } }];
      }
  for (const version of VERSIONS)
    yield {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { _meta: { [PROTOCOL_VERSION_META_KEY]: version } },
    };
}

describe('isLegacy', () => {
  it.each([undefined, '2025-11-25', '2026-07-28'])('says what the SDK says (header %s)', async (version) => {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: version === undefined ? {} : { 'mcp-protocol-version': version },
    });
    for (const body of bodies()) {
      const said = await isLegacy(request, body);
      expect(said, JSON.stringify(body)).toBe(await isLegacyRequest(request, body));
    }
  });
});
