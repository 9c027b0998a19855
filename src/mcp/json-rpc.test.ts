import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looseMessage } from '../../test/support/malformed-messages.ts';
import { decodeLine, decodeMessage, INVALID_REQUEST } from './json-rpc.ts';

const accepted = (value: unknown): boolean => {
  try {
    parseJSONRPCMessage(value);
    return true;
  } catch {
    return false;
  }
};

describe('decodeMessage', () => {
  it('lets through exactly what the protocol layer will not drop', () => {
    fc.assert(
      fc.property(looseMessage, (message) => {
        const value: unknown = JSON.parse(JSON.stringify(message));
        expect(decodeMessage(value).kind === 'message').toBe(accepted(value));
      }),
    );
  });

  it.each([
    [{ id: 1, method: 'ping', params: [] }, 1],
    [{ id: 1, method: 'ping', params: { _meta: 'x' } }, 1],
    [{ id: 1, method: 'ping', params: { _meta: [] } }, 1],
    [{ id: 'a', method: 'ping', params: { _meta: { progressToken: {} } } }, 'a'],
    [{ id: 1, method: 'ping', params: { _meta: { progressToken: 1.5 } } }, 1],
    [{ id: 1, method: 'ping', params: null }, 1],
    [{ id: 1, method: 'ping', extra: 1 }, 1],
    [{ id: 1, method: 'ping', result: {} }, 1],
    [{ id: 1, method: 5 }, 1],
    [{ id: 1 }, 1],
    [{ id: 1.5, method: 'ping' }, null],
    [{ id: 1e300, method: 'ping' }, null],
    [{ id: null, method: 'ping' }, null],
    [{ id: {}, method: 'ping' }, null],
    [{ method: 'notifications/initialized', params: [] }, null],
    // An error with one of the client's ids could be taken as the answer to another request.
    [{ id: 1, result: 'x' }, null],
  ])('%j is answered under %j', (message, id) => {
    const decoded = decodeMessage({ jsonrpc: '2.0', ...message });
    expect(decoded).toMatchObject({ kind: 'error', id, code: INVALID_REQUEST });
  });

  it.each([
    { id: null, error: { code: 1, message: '' } },
    { id: 1, error: { code: 'x', message: '' } },
    { id: 1, result: {}, error: { code: 1, message: '' } },
  ])('%j is an error, which is not answered with one', (message) => {
    expect(decodeMessage({ jsonrpc: '2.0', ...message })).toEqual({ kind: 'ignored' });
  });

  it('answers what names another version of JSON-RPC, or is none', () => {
    expect(decodeMessage({ id: 1, method: 'ping' })).toMatchObject({ id: 1, code: INVALID_REQUEST });
    for (const value of [null, 5, 'x', [], [[]], true])
      expect(decodeMessage(value)).toMatchObject({ id: null, code: INVALID_REQUEST });
    expect(decodeLine('[]')).toMatchObject({ id: null, code: INVALID_REQUEST });
  });
});
