import { LecternError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { closest } from '../nearest.ts';
import type { Catalogue, CatalogueIdentity, CatalogueTool } from './catalogue.ts';

/**
 * The catalogue for several vaults: if it asks for one, each tool gets a `vault` argument. With one vault the
 * catalogue is unchanged.
 */
export function forVaults(catalogue: Catalogue, names: readonly string[]): Catalogue {
  if (names.length < 2) return catalogue;
  if (catalogue.asksForVault !== true) return { ...catalogue, vaults: names };
  return { ...catalogue, vaults: names, tools: catalogue.tools.map((tool) => withVault(tool, names)) };
}

/** The handshake data when there are several vaults to choose from. */
export function identityForVaults(identity: CatalogueIdentity, names: readonly string[]): CatalogueIdentity {
  const { severalVaults } = identity;
  if (names.length < 2 || severalVaults === undefined) return identity;
  const shown = names.length > 10 ? [...names.slice(0, 10), `${names.length - 10} more`] : names;
  const instructions = [severalVaults(shown), identity.instructions].filter((part) => part !== undefined);
  return { ...identity, instructions: instructions.join('\n') };
}

function withVault(tool: CatalogueTool, names: readonly string[]): CatalogueTool {
  if (tool.operations.length === 0) return tool;
  const { inputSchema } = tool.listing;
  const properties = isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const required: readonly unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  const description = tool.overview === true ? 'One vault; all when left out.' : 'Which vault.';
  const needed = tool.overview === true ? required : ['vault', ...required];
  return {
    ...tool,
    listing: {
      ...tool.listing,
      inputSchema: {
        ...inputSchema,
        properties: { vault: { type: 'string', enum: names, description }, ...properties },
        ...(needed.length > 0 && { required: needed }),
      },
    },
  };
}

/** The vault of a call, and its arguments without the vault's name. */
export interface VaultChoice {
  /** Undefined = the only vault, or the first. */
  readonly vault: string | undefined;
  readonly arguments: unknown;
  /** Whether the call is for all vaults. */
  readonly all: boolean;
}

/** @throws LecternError `invalid_input` when a call must name one of several vaults and does not */
export function chooseVault(
  { vaults, asksForVault }: Catalogue,
  tool: CatalogueTool,
  given: unknown,
): VaultChoice {
  // A tool without operations needs no vault.
  const isForOne = vaults === undefined || asksForVault !== true || tool.operations.length === 0;
  if (isForOne) return { vault: undefined, arguments: given, all: false };
  const { vault, ...rest } = argumentsIn(given);
  if (vault === undefined || vault === null) {
    if (tool.overview === true) return { vault: undefined, arguments: rest, all: true };
    throw new LecternError('invalid_input', `There are several vaults: ${tool.name} needs to know which.`, {
      details: { missing: ['vault'], vaults },
      next: `Add vault: ${vaults.join(' or ')}.`,
    });
  }
  return { vault: vaultNamed(vaults, vault), arguments: rest, all: false };
}

/**
 * The vault with the given name.
 *
 * @throws LecternError `invalid_input` for an unknown name
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

/** Arguments that are not an object are refused by the operation's own check. */
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
