import { PassThrough } from 'node:stream';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { indxCatalogue } from '../catalogues/indx/catalogue.ts';
import { indxIdentity } from '../catalogues/indx/identity.ts';
import { serveConnection } from './connection.ts';
import { handshakeResult } from './handshake.ts';

const { revisions: HANDSHAKE_REVISIONS } = indxIdentity.protocol;

import { StdioTransport } from './stdio-transport.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const request = (params: object) => ({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const wellFormed = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

/** The protocol layer's own answer. */
async function layerAnswer(message: object): Promise<{ result?: unknown; error?: unknown }> {
  const input = new PassThrough();
  let answered: (line: string) => void = () => {};
  const line = new Promise<string>((resolve) => {
    answered = resolve;
  });
  const transport = new StdioTransport({
    input,
    write: (chunk, done) => {
      answered(chunk);
      done();
    },
  });
  const connection = serveConnection(transport, {
    identity: indxIdentity,
    version: '1.2.3',
    catalogue: async () => indxCatalogue,
    vault: () => Promise.reject(new Error('not part of this test')),
    log: quiet,
  });
  input.write(`${JSON.stringify(message)}\n`);
  const answer = JSON.parse(await line) as { result?: unknown; error?: unknown };
  await connection.close();
  return answer;
}

describe('handshakeResult', () => {
  it('knows every revision with a handshake that the protocol layer knows', () => {
    expect([...HANDSHAKE_REVISIONS].sort()).toEqual(
      SUPPORTED_PROTOCOL_VERSIONS.filter((v) => v < '2026').sort(),
    );
  });

  it.each([...HANDSHAKE_REVISIONS, '2026-07-28', '1.0', ''])(
    'answers revision %j as the protocol layer does',
    async (protocolVersion) => {
      const message = request({ ...wellFormed, protocolVersion });
      expect(handshakeResult(message, indxIdentity, '1.2.3')).toEqual((await layerAnswer(message)).result);
    },
  );

  it.each([
    ['with a client', { 'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1', title: 'Raw' } }],
    ['without a client', {}],
  ])('answers server/discover %s as the protocol layer does', async (_what, more) => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'server/discover',
      params: { _meta: { ...envelope, ...more } },
    };
    const answer = (await layerAnswer(message)).result;
    expect(answer).toBeDefined();
    expect(handshakeResult(message, indxIdentity, '1.2.3')).toEqual(answer);
  });

  it.each([
    ['no params', { jsonrpc: '2.0', id: 1, method: 'initialize' }],
    ['no client', request({ protocolVersion: '2025-11-25', capabilities: {} })],
    ['a client without version', request({ ...wellFormed, clientInfo: { name: 'raw' } })],
    ['capabilities that are none', request({ ...wellFormed, capabilities: [] })],
    ['a revision that is none', request({ ...wellFormed, protocolVersion: 20251125 })],
    ['a discovery without envelope', { jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }],
    [
      'a discovery of an unknown revision',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'server/discover',
        params: { _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } },
      },
    ],
    ['another method', { jsonrpc: '2.0', id: 1, method: 'ping' }],
    [
      'a claim of the stateless era',
      request({ ...wellFormed, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
    ],
  ])('leaves %s to the protocol layer', (_what, message) => {
    expect(handshakeResult(message, indxIdentity, '1.2.3')).toBeUndefined();
  });
});
