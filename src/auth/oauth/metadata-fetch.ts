import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Limits of a client's metadata document, in bytes and ms. */
const LIMIT_MS = 5000;
const MAX_BYTES = 64 * 1024;

/** Addresses that are not on the public internet (IANA special-purpose registries). */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
/** In IPv6 only global unicast is public, except for ranges that embed other addresses. */
const PUBLIC_V6 = new BlockList();
PUBLIC_V6.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6');

export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  switch (isIP(plain)) {
    case 4:
      return !PRIVATE.check(plain, 'ipv4');
    case 6:
      return PUBLIC_V6.check(plain, 'ipv6') && !PRIVATE.check(plain, 'ipv6');
    default:
      return false;
  }
}

/**
 * Resolves a name to public addresses only. The socket connects to the checked address, since a second lookup
 * could return another one.
 */
export const publicLookup: LookupFunction = (name, options, done) => {
  lookupPublic(systemLookup, name, options, done);
};

/** @param lookup asks the name service for all addresses of a name */
export function lookupPublic(
  lookup: (
    name: string,
    options: LookupAllOptions,
    done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ) => void,
  name: string,
  options: Parameters<LookupFunction>[1],
  done: Parameters<LookupFunction>[2],
): void {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      done(error, '', 0);
      return;
    }
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => !isPublicAddress(address))) {
      done(new Error('The name does not lead to the public internet.'), '', 0);
      return;
    }
    if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  });
}

/**
 * Fetches a client's metadata document for oidc-provider: over https from a public host, without redirects,
 * with limits of time and size.
 */
export async function fetchMetadata(input: string | URL): Promise<Response> {
  return await fetchMetadataThrough(httpsRequest, input);
}

/** @param request sends a request that passed the checks */
export async function fetchMetadataThrough(
  request: typeof httpsRequest,
  input: string | URL,
): Promise<Response> {
  const url = new URL(input);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:' || url.username !== '' || (url.port !== '' && url.port !== '443')) {
    throw new Error('Metadata documents are fetched over https only.');
  }
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw new Error('The address is not public.');
  return await new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        lookup: publicLookup,
        headers: { Accept: 'application/json' },
        signal: AbortSignal.timeout(LIMIT_MS),
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_BYTES) sent.destroy(new Error('The metadata document is too large.'));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () => {
          const cacheControl = response.headers['cache-control'];
          resolve(
            // Of any other response only the status is passed on.
            new Response(response.statusCode === 200 ? Buffer.concat(chunks) : null, {
              status: response.statusCode ?? 502,
              headers: {
                'content-type': response.headers['content-type'] ?? '',
                ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
              },
            }),
          );
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
