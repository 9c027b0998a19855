import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  fetchMetadata,
  fetchMetadataThrough,
  isPublicAddress,
  lookupPublic,
  publicLookup,
} from './metadata-fetch.ts';

describe('isPublicAddress', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '2606:4700::1111',
    '2001:4860:4860::8888',
  ])('%s is', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
    '::7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    'fe80::1%lo',
    '64:ff9b:1::1',
    '127.1',
    '0177.0.0.1',
    '0x7f000001',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('fetchMetadata', () => {
  it.each([
    'http://client.example/metadata',
    'https://127.0.0.1/metadata',
    'https://[::1]/metadata',
    'https://[::ffff:10.0.0.1]/metadata',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/metadata',
    'https://0x7f.1/metadata',
    'https://0177.0.0.1/metadata',
    'https://127.1/metadata',
    'https://[::ffff:7f00:1]/metadata',
    'https://[64:ff9b::7f00:1]/metadata',
    'https://[fd00::1]/metadata',
    'https://[fe80::1]/metadata',
    'https://client.example:22/metadata',
    'ftp://client.example/metadata',
    'data:application/json,{}',
    'https://user@client.example/metadata',
    'https://client.example:8443/metadata',
    'file:///etc/passwd',
  ])('does not fetch %s', async (url) => {
    await expect(fetchMetadata(url)).rejects.toThrow(/https only|not public/);
  });

  it('does not follow a name that leads here', async () => {
    await expect(fetchMetadata('https://localhost/metadata')).rejects.toThrow(/public internet/);
    const resolved = await new Promise((resolve) => publicLookup('localhost', {}, (error) => resolve(error)));
    expect(resolved).toBeInstanceOf(Error);
  });
});

describe('names', () => {
  const ask = (...addresses: { address: string; family: number }[]) =>
    new Promise<{ error: Error | null; address: unknown }>((resolve) => {
      lookupPublic(
        (_name, _options, done) => done(null, addresses),
        'client.example',
        {},
        (error, address) => resolve({ error, address }),
      );
    });

  it('lead to what they resolve to, when all of it is public', async () => {
    expect(await ask({ address: '93.184.216.34', family: 4 })).toEqual({
      error: null,
      address: '93.184.216.34',
    });
  });

  it.each([
    ['10.0.0.1', 4],
    ['169.254.169.254', 4],
    ['::1', 6],
    ['::ffff:192.168.0.1', 6],
    ['fd00:ec2::254', 6],
  ])('are not followed to %s, nor when that is one of several', async (address, family) => {
    const open = { address: '93.184.216.34', family: 4 };
    for (const answer of [[{ address, family }], [open, { address, family }], [{ address, family }, open]]) {
      expect((await ask(...answer)).error?.message).toMatch(/public internet/);
    }
  });

  it('that lead nowhere lead nowhere', async () => {
    expect((await ask()).error).toBeInstanceOf(Error);
  });
});

describe('what a host answers', () => {
  let stop = () => {};

  afterEach(() => stop());

  /** The same fetch, its request sent to a host of this test instead of the one that is named. */
  async function fetchFrom(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop = () => {
      server.close();
      server.closeAllConnections();
    };
    const { port } = server.address() as AddressInfo;
    const toHere = ((
      url: URL,
      { headers, signal }: object & { headers: object; signal: AbortSignal },
      done: never,
    ) =>
      httpRequest(
        { host: '127.0.0.1', port, path: url.pathname, headers: { ...headers }, signal },
        done,
      )) as unknown as typeof httpsRequest;
    const response = fetchMetadataThrough(toHere, 'https://client.example/metadata');
    return { response, requests };
  }

  it('is handed on when it is a document', async () => {
    const { response } = await fetchFrom((_request, reply) => reply.end('{"client_id":"x"}'));
    expect(await (await response).json()).toEqual({ client_id: 'x' });
  });

  it.each([301, 302, 303, 307, 308])(
    'is not followed elsewhere (%i), and its body is not looked at',
    async (status) => {
      const { response, requests } = await fetchFrom((_request, reply) => {
        reply.writeHead(status, { Location: 'http://169.254.169.254/latest/meta-data' });
        reply.end('{"client_id":"x"}');
      });
      const got = await response;
      expect(got.status).toBe(status);
      expect(got.headers.get('location')).toBeNull();
      expect(await got.text()).toBe('');
      expect(requests).toEqual(['GET /metadata']);
    },
  );

  it('is given up when it is too large', async () => {
    const { response } = await fetchFrom((_request, reply) => reply.end('x'.repeat(65 * 1024)));
    await expect(response).rejects.toThrow(/too large/);
  });

  it('is given up when it does not come', async () => {
    const { response } = await fetchFrom((_request, reply) => void reply.write('{'));
    await expect(response).rejects.toThrow(/abort|timeout/i);
  }, 10_000);
});
