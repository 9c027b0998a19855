import { BlockList, isIP } from 'node:net';

/** X-Forwarded-For is evaluated up to this many hops; the rest may be forged. */
const MAX_HOPS = 20;

/** Determines the client's address, also behind reverse proxies the owner trusts. */
export class ClientAddress {
  readonly #trusted = new BlockList();

  /** @param trustedProxies addresses or networks in CIDR form */
  constructor(trustedProxies: readonly string[]) {
    for (const entry of trustedProxies) {
      const [address = '', prefix] = entry.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(prefix), family);
    }
  }

  /**
   * The nearest hop that is not a trusted proxy: each proxy confirms only the hop before it.
   *
   * @param socketAddress of the connection
   * @param forwardedFor the header X-Forwarded-For
   */
  of(socketAddress: string, forwardedFor: string | null): string {
    let address = plain(socketAddress);
    const hops = forwardedFor === null ? [] : forwardedFor.split(',').slice(-MAX_HOPS);
    while (hops.length > 0 && this.#isTrusted(address)) {
      const next = plain(hops.pop()?.trim() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  }

  #isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** An IPv4 peer of a socket that listens on both families is written ::ffff:a.b.c.d. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
