import type { CatalogueIdentity } from '../catalogues/catalogue.ts';
import { CATALOGUES, type CatalogueEntry, catalogueNamed } from '../catalogues/list.ts';
import { type LoadedSettings, loadSettings } from '../config/load.ts';
import type { ServeFlags } from '../config/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CatalogueSettings extends LoadedSettings {
  /** The process environment, with the values of the catalogue's own variables added. */
  readonly given: Environment;
}

/**
 * The settings of a server, including the variables of the system whose catalogue it uses, so that users of
 * that system can keep theirs.
 *
 * @throws LecternError as `loadSettings`, and `invalid_input` for an unknown catalogue
 */
export async function loadCatalogueSettings(
  flags: ServeFlags,
  environment: Environment,
  catalogues = CATALOGUES,
): Promise<CatalogueSettings> {
  const named = flags.catalogue ?? environment.LECTERN_CATALOGUE?.trim();
  const load = async (entry: CatalogueEntry, loaded?: LoadedSettings): Promise<CatalogueSettings> => {
    const given = withOwnVariables(await entry.identity(), environment);
    const settings =
      given === environment && loaded !== undefined ? loaded : await loadSettings(flags, given);
    return { ...settings, given };
  };
  if (named) return await load(catalogueNamed(named, catalogues));
  const loaded = await loadSettings(flags, environment);
  return await load(catalogueNamed(loaded.settings.catalogue, catalogues), loaded);
}

/** Lectern's own variables take precedence over another system's. */
function withOwnVariables({ variables = {} }: CatalogueIdentity, environment: Environment): Environment {
  const taken = Object.entries(variables).filter(
    ([theirs, ours]) => environment[theirs]?.trim() && !environment[ours]?.trim(),
  );
  if (taken.length === 0) return environment;
  return {
    ...environment,
    ...Object.fromEntries(taken.map(([theirs, ours]) => [ours, environment[theirs]])),
  };
}
