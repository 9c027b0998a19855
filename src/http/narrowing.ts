import type { Grant } from '../auth/grant.ts';
import { vaultNamed } from '../catalogues/several-vaults.ts';
import { LecternError } from '../errors.ts';
import { type Offer, offered } from '../operations/offer.ts';
import type { Operation } from '../operations/operation.ts';
import type { AccessRules } from '../vault/access.ts';
import type { Actor, VaultSession } from '../vault/session.ts';

/** The layer a grant adds to the owner's path rules. */
function accessRules({ scopes, paths }: Grant): AccessRules {
  return {
    readOnly: !scopes.includes('vault:write'),
    read: paths,
    write: { allow: [], deny: [] },
  };
}

export interface ServedOffer {
  /** Every existing operation, so that a rule about one that is not served now is no error. */
  readonly all: readonly Operation[];
  /** The operations the owner's settings leave; another object after a change. */
  readonly offer: Offer;
  /** In the server's order: the first is the default. */
  readonly vaults: readonly ServedVault[];
}

export interface ServedVault {
  readonly name: string;
  readonly readOnly: boolean;
}

/**
 * The vaults a grant includes. A grant for one of several behaves as if that were the only one.
 *
 * @throws LecternError `forbidden` when none of them is served here
 */
function grantedVaults({ vaults: granted }: Grant, served: readonly ServedVault[]): readonly ServedVault[] {
  const seen = granted.length === 0 ? served : served.filter(({ name }) => granted.includes(name));
  if (seen.length > 0) return seen;
  throw new LecternError('forbidden', 'The vaults that this credential is for are not served here.', {
    next: 'Ask the owner for another one.',
  });
}

/** Opens the vault of that name, with rules in addition to the owner's. */
export type OpenVault = (
  actor: Actor,
  narrowing: readonly AccessRules[],
  name?: string,
) => Promise<VaultSession>;

/** Opens vaults under a grant; without a name, the first of them. */
export function narrowedVaults(
  grant: Grant,
  { vaults }: Pick<ServedOffer, 'vaults'>,
  open: OpenVault,
): (actor: Actor, name?: string) => Promise<VaultSession> {
  const narrowing = [accessRules(grant)];
  return async (actor, name) => {
    const names = grantedVaults(grant, vaults).map((vault) => vault.name);
    return await open(actor, narrowing, name === undefined ? names[0] : vaultNamed(names, name));
  };
}

/** Most kinds of grants kept; with more, the offers are computed again. */
const MAX_KNOWN = 200;

/** Restricts what the owner serves to what a grant allows, computed once per kind of grant. */
export class GrantedOffers {
  readonly #served: ServedOffer;
  readonly #known = new Map<string, Offer>();
  /** A token's grant object is the same in every request. */
  #byGrant = new WeakMap<Grant, Offer>();
  #offer: Offer | undefined;
  #vaults: readonly ServedVault[] | undefined;

  constructor(served: ServedOffer) {
    this.#served = served;
  }

  /**
   * @throws LecternError `invalid_input` when the grant names an unknown tool, `forbidden` when it includes
   *   no vault here: nothing is offered then
   */
  for(grant: Grant): Offer {
    const { offer, vaults } = this.#served;
    if (offer !== this.#offer || vaults !== this.#vaults) {
      this.#known.clear();
      this.#byGrant = new WeakMap();
    }
    this.#offer = offer;
    this.#vaults = vaults;
    const ready = this.#byGrant.get(grant);
    if (ready !== undefined) return ready;
    const cut = this.#cutFor(grant);
    this.#byGrant.set(grant, cut);
    return cut;
  }

  #cutFor(grant: Grant): Offer {
    const { scopes, tools } = grant;
    const { all, offer, vaults } = this.#served;
    const seen = grantedVaults(grant, vaults);
    const key = JSON.stringify([scopes, tools, seen]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const usable = seen.every(({ readOnly }) => readOnly) ? READING : scopes;
    const granted = offered(all, { scopes: usable, ...tools });
    const among = (operations: readonly Operation[]) => {
      const names = new Set(operations.map(({ name }) => name));
      return granted.filter(({ name }) => names.has(name));
    };
    const cut: Offer = {
      ...offer,
      // A caller granted tools by name sees them, whatever their set.
      toolsets: tools.allow.length > 0 ? undefined : offer.toolsets,
      operations: among(offer.operations),
      dormant: offer.dormant && among(offer.dormant),
      vaults: seen.length > 1 ? seen.map(({ name }) => name) : undefined,
    };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, cut);
    return cut;
  }
}

const READING = ['vault:read'] as const;
