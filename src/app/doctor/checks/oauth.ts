import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from '../../../auth/oauth/metadata-fetch.ts';
import { isLoopback } from '../../../config/loopback.ts';
import { isRecord } from '../../../is-record.ts';
import { type Check, type Finding, ok, problem, said } from '../check.ts';
import type { DoctorContext } from '../context.ts';

const LIMIT_MS = 8000;
const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';

/** Checks the public address of the server: each step of the guide to remote use. */
export const oauth: Check = {
  name: 'public_url',
  async run(context) {
    const { http } = context;
    if (http?.publicUrl === undefined) return [ok('public_url.none', 'The server has no public address.')];
    const base = http.publicUrl.href.replace(/\/$/, '');
    const steps = [
      () => names(http.publicUrl as URL),
      () => health(base),
      ...(http.oauth === undefined ? [] : [() => metadata(base, http.oauth?.issuer.href ?? '')]),
    ];
    for (const step of steps) {
      const finding = await step();
      if (finding !== undefined) return [finding];
    }
    return [proxy(context) ?? ok('public_url.reached', `The server answers at ${base}.`)];
  },
};

/** A name that is only known inside the network cannot be reached from outside. */
async function names({ hostname }: URL): Promise<Finding | undefined> {
  if (isLoopback(hostname)) return undefined;
  const bare = hostname.replace(/^\[|\]$/g, '');
  let addresses: readonly string[];
  try {
    addresses = isIP(bare) === 0 ? (await lookup(bare, { all: true })).map(({ address }) => address) : [bare];
  } catch {
    return problem(
      'public_url.no_name',
      `The name ${hostname} is not known: no client finds the server.`,
      'Make an entry for it in DNS, or correct http.public_url.',
    );
  }
  if (addresses.some(isPublicAddress)) return undefined;
  return problem(
    'public_url.private',
    `The name ${hostname} leads to ${addresses.join(', ')}, where nobody outside gets to.`,
    'Let DNS name the public address, and forward port 443 of it to the proxy.',
  );
}

async function health(base: string): Promise<Finding | undefined> {
  const found = await get(`${base}/healthz`);
  if (found.error !== undefined)
    return problem(
      'public_url.unreachable',
      `Nothing answers at ${base}: ${found.error}.`,
      'Start lectern serve, and see that the proxy and its certificate are as the guide to remote use has them.',
    );
  if (found.status === 200 && isRecord(found.body) && found.body.ok === true) return undefined;
  return problem(
    'public_url.not_lectern',
    `What answers at ${base} is not Lectern (status ${found.status} for /healthz).`,
    found.status === 403
      ? 'Let the proxy pass the Host header on as it is.'
      : 'Start lectern serve, and let the proxy pass every path on to it.',
  );
}

async function metadata(base: string, issuer: string): Promise<Finding | undefined> {
  const [resource, server] = [await get(`${base}${RESOURCE}`), await get(`${base}${SERVER}`)];
  if (!isRecord(resource.body) || !isRecord(server.body))
    return problem(
      'public_url.no_metadata',
      `The addresses from which clients learn about OAuth do not answer below ${base}/.well-known.`,
      'Start the server with --oauth, and let the proxy pass on what begins with /.well-known.',
    );
  const same = (value: unknown, wanted: string) =>
    String(value).replace(/\/$/, '') === wanted.replace(/\/$/, '');
  if (same(server.body.issuer, issuer) && same(resource.body.resource, `${base}/mcp`)) return undefined;
  return problem(
    'public_url.other_issuer',
    `The server at ${base} says that it is ${String(server.body.issuer)}: clients refuse it.`,
    'Start it with the same --public-url that clients are given.',
  );
}

function proxy({ http }: DoctorContext): Finding | undefined {
  if (http?.publicUrl === undefined || http.tls !== undefined || isLoopback(http.publicUrl.hostname))
    return undefined;
  if (http.trustedProxies.length > 0) return undefined;
  return problem(
    'public_url.no_proxy',
    'The server does no TLS of its own and knows no proxy: to it every client has the address of the proxy.',
    'Name the proxy with --trust-proxy, for one on this machine 127.0.0.1.',
  );
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly error?: string;
}

async function get(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS), redirect: 'manual' });
    const text = await response.text();
    return { status: response.status, body: parsed(text) };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : said(cause);
    return { status: 0, body: undefined, error: code };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
