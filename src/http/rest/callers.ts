import { createHash } from 'node:crypto';
import type { Principal } from '../../auth/grant.ts';
import type { Assistants } from '../../operations/call/assistants.ts';
import type { Actor } from '../../vault/session.ts';
import type { InFlight } from '../in-flight.ts';
import { GrantedOffers, narrowedVaults, type OpenVault, type ServedOffer } from '../narrowing.ts';
import type { RestCaller } from './app.ts';

export interface RestCallersOptions {
  readonly served: ServedOffer;
  readonly vault: OpenVault;
  readonly authenticator: { stillWorks(principal: Principal): boolean };
  readonly settings: { readonly callLimitMs: number };
  readonly assistants?: Assistants | undefined;
}

/** The caller of a request, as determined by the guards. */
export interface RestSource {
  readonly principal: Principal;
  readonly address: string;
  /** The header User-Agent. */
  readonly agent: string | undefined;
}

/** Gives the REST door the same view of a caller as the MCP door: same tools, same paths, same audit log. */
export function restCallers(
  options: RestCallersOptions,
  inFlight: InFlight,
): (source: RestSource) => RestCaller {
  const offers = new GrantedOffers(options.served);
  return ({ principal, address, agent }) => {
    const { id, name, kind, grant } = principal;
    const client = agent === undefined || agent === '' ? 'unnamed client' : agent.slice(0, 100);
    // Without credentials, callers are distinguished by their User-Agent.
    const actor: Actor =
      kind === 'open'
        ? { kind: 'rest', name: client, session: `${id}:${digest(client)}`, address }
        : { kind: 'rest', name, session: id, client, address };
    const open = narrowedVaults(grant, options.served, options.vault);
    return {
      offer: offers.for(grant),
      vault: (vault) => open(actor, vault),
      watch: inFlight,
      callLimitMs: options.settings.callLimitMs,
      assistants: options.assistants,
      stillWorks: () => options.authenticator.stillWorks(principal),
    };
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
