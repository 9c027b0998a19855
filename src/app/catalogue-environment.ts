import { CATALOGUES, type CatalogueEntry, catalogueNamed } from '../catalogues/list.ts';
import { type LoadedSettings, loadSettings } from '../config/load.ts';
import type { ServeFlags } from '../config/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CatalogueSettings extends LoadedSettings {
  /** As the process has it, with what the variables of the catalogue's own system say. */
  readonly given: Environment;
}

/**
 * The settings of a server, the variables of the system whose catalogue it speaks included: whoever moves from
 * there keeps them.
 *
 * @throws LecternError as `loadSettings`, and `invalid_input` for a catalogue that there is not
 */
export async function loadCatalogueSettings(
  flags: ServeFlags,
  environment: Environment,
  catalogues = CATALOGUES,
): Promise<CatalogueSettings> {
  const named = flags.catalogue ?? environment.LECTERN_CATALOGUE?.trim();
  if (named) {
    const given = await withOwnVariables(catalogueNamed(named, catalogues), environment);
    return { ...(await loadSettings(flags, given)), given };
  }
  const loaded = await loadSettings(flags, environment);
  const given = await withOwnVariables(catalogueNamed(loaded.settings.catalogue, catalogues), environment);
  return given === environment ? { ...loaded, given } : { ...(await loadSettings(flags, given)), given };
}

/** Lectern's own variables count more than those of another system. */
async function withOwnVariables(
  { identity }: CatalogueEntry,
  environment: Environment,
): Promise<Environment> {
  const { variables = {} } = await identity();
  const taken = Object.entries(variables).filter(
    ([theirs, ours]) => environment[theirs]?.trim() && !environment[ours]?.trim(),
  );
  if (taken.length === 0) return environment;
  return {
    ...environment,
    ...Object.fromEntries(taken.map(([theirs, ours]) => [ours, environment[theirs]])),
  };
}
