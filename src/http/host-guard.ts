import { isIP } from 'node:net';
import type { HttpSettings } from '../config/http-settings.ts';
import { isLoopback } from '../config/loopback.ts';

export type GuardVerdict = 'good' | 'bad_host' | 'bad_origin';

/**
 * Blocks web pages (DNS rebinding): a page can make a browser connect here under a name the page's owner
 * controls, but then Host contains that name, and Origin the page's own.
 */
export class HostGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #local: boolean;

  constructor(settings: Pick<HttpSettings, 'host' | 'publicUrl' | 'allowedHosts' | 'allowedOrigins'>) {
    const { host, publicUrl, allowedHosts, allowedOrigins } = settings;
    const names = [host, ...allowedHosts, ...(publicUrl ? [publicUrl.hostname] : [])];
    this.#hosts = new Set(names.map((name) => bare(name.toLowerCase())));
    this.#origins = new Set([...allowedOrigins, ...(publicUrl ? [publicUrl.origin] : [])]);
    this.#local = isLoopback(host);
  }

  check(headers: Headers): GuardVerdict {
    if (!this.isOwnHost(headers.get('host'))) return 'bad_host';
    const origin = headers.get('origin');
    return origin === null || this.#isKnownOrigin(origin) ? 'good' : 'bad_origin';
  }

  /** Whether a page of this origin may read responses: only the origins the owner listed. */
  mayRead(origin: string): boolean {
    return this.#origins.has(origin);
  }

  /** Whether the Host header names this server. */
  isOwnHost(header: string | null): boolean {
    const name = hostName(header ?? '');
    if (name === undefined) return false;
    if (this.#hosts.has(name) || isLoopback(name)) return true;
    // An IP address cannot be rebound; a server that listens on all addresses accepts any of them.
    return !this.#local && isIP(name) !== 0;
  }

  #isKnownOrigin(origin: string): boolean {
    if (this.#origins.has(origin)) return true;
    return this.#local && URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  }
}

/** `host[:port]` → the host, lower case, without brackets; undefined for anything else. */
function hostName(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

function bare(name: string): string {
  return name.replace(/^\[|\]$/g, '');
}
