import { LecternError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { closest } from '../nearest.ts';
import type { Catalogue, CatalogueIdentity, CatalogueTool } from './catalogue.ts';

/** The one tool that answers for all vaults when none is named: it is how a client learns what there is. */
const OVERVIEW = 'vault_status';

/**
 * The same tools for several vaults: each takes `vault`, the name of one. With one vault it is the
 * catalogue as it was.
 */
export function forVaults(catalogue: Catalogue, names: readonly string[]): Catalogue {
  if (names.length < 2) return catalogue;
  return { ...catalogue, vaults: names, tools: catalogue.tools.map((tool) => withVault(tool, names)) };
}

/** What a client is told at the handshake when there are several vaults. */
export function identityForVaults(identity: CatalogueIdentity, names: readonly string[]): CatalogueIdentity {
  if (names.length < 2) return identity;
  const shown = names.length > 10 ? [...names.slice(0, 10), `${names.length - 10} more`] : names;
  const [first = ''] = names;
  return {
    ...identity,
    instructions: [
      `There are several vaults here (${shown.join(', ')}): say with every call which one, vault: ${JSON.stringify(first)}. ${OVERVIEW} without it shows them all. Resources: vault://<path> in ${first}, vaults://<vault>/<path> in any.`,
      identity.instructions,
    ].join('\n'),
  };
}

function withVault(tool: CatalogueTool, names: readonly string[]): CatalogueTool {
  const { properties, required = [] } = tool.inputSchema;
  const isOverview = tool.operation.name === OVERVIEW;
  const description = isOverview ? 'One vault; all when left out.' : 'Which vault.';
  const needed = isOverview ? required : ['vault', ...required];
  return {
    ...tool,
    inputSchema: {
      ...tool.inputSchema,
      properties: { vault: { type: 'string', enum: names, description }, ...properties },
      ...(needed.length > 0 && { required: needed }),
    },
  };
}

/** Which vaults a call is for, and its arguments without the name. */
export interface VaultChoice {
  /** Undefined = the only one there is. */
  readonly vault: string | undefined;
  readonly arguments: unknown;
  /** The call is for every vault. */
  readonly all: boolean;
}

/** @throws LecternError `invalid_input` when there are several vaults and the call does not name one of them */
export function chooseVault({ vaults }: Catalogue, tool: CatalogueTool, given: unknown): VaultChoice {
  if (vaults === undefined) return { vault: undefined, arguments: given, all: false };
  const { vault, ...rest } = argumentsIn(given);
  if (vault === undefined || vault === null) {
    if (tool.operation.name === OVERVIEW) return { vault: undefined, arguments: rest, all: true };
    throw new LecternError('invalid_input', `There are several vaults: ${tool.name} needs to know which.`, {
      details: { missing: ['vault'], vaults },
      next: `Add vault: ${vaults.join(' or ')}.`,
    });
  }
  return { vault: vaultNamed(vaults, vault), arguments: rest, all: false };
}

/**
 * The vault that somebody named.
 *
 * @throws LecternError `invalid_input` when there is none of that name
 */
export function vaultNamed(vaults: readonly string[], given: unknown): string {
  const name = vaults.find((known) => known === given);
  if (name !== undefined) return name;
  const typed = String(given).slice(0, 60);
  const meant = closest(typed, vaults);
  throw new LecternError('invalid_input', `There is no vault ${JSON.stringify(typed)}.`, {
    details: { vaults },
    next: meant === undefined ? `Vaults: ${vaults.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

/** Arguments that are no object are refused by the check of the operation's own. */
function argumentsIn(given: unknown): Record<string, unknown> {
  const value = typeof given === 'string' ? parsed(given) : given;
  return isRecord(value) ? { ...value } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
