import type { Grant } from '../auth/grant.ts';
import type { Catalogue } from '../catalogues/catalogue.ts';
import { offeredTools } from '../catalogues/policy.ts';
import type { AccessRules } from '../vault/access.ts';

/** The layer that a grant adds to the owner's path rules. */
export function accessRules({ scopes, paths }: Grant): AccessRules {
  return {
    readOnly: !scopes.includes('vault:write'),
    read: paths,
    write: { allow: [], deny: [] },
  };
}

export interface ToolOffer {
  /** Every tool there is, so that a rule about one that is not served now is no error. */
  readonly all: Catalogue;
  /** What the owner's settings leave of them; read anew each time, as they may change. */
  readonly served: Catalogue;
}

/** Grants differ in few ways; more than this many at once and the lists are made again. */
const MAX_KNOWN = 200;

/** Cuts the tools that the owner serves down to what a grant allows, once per kind of grant. */
export class GrantedTools {
  readonly #offer: ToolOffer;
  readonly #known = new Map<string, Catalogue>();
  #served: Catalogue | undefined;

  constructor(offer: ToolOffer) {
    this.#offer = offer;
  }

  /** @throws LecternError `invalid_input` when the grant names a tool that does not exist: nothing is offered then */
  for({ scopes, tools }: Grant): Catalogue {
    const { all, served } = this.#offer;
    if (served !== this.#served) this.#known.clear();
    this.#served = served;
    const key = JSON.stringify([scopes, tools]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const granted = offeredTools(all, { scopes, ...tools });
    const names = new Set(served.tools.map((tool) => tool.name));
    const catalogue = { ...granted, tools: granted.tools.filter((tool) => names.has(tool.name)) };
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, catalogue);
    return catalogue;
  }
}
