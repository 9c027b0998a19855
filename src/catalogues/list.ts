import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import type { Catalogue, CatalogueIdentity } from './catalogue.ts';
import { loadIndxCatalogue } from './indx/load.ts';

/** A catalogue in the list: the data known before its code is loaded. */
export interface CatalogueEntry {
  readonly name: string;
  /** One line for help and documentation. */
  readonly about: string;
  /** Loaded separately, so that the handshake can be answered before the tools are loaded. */
  readonly identity: () => Promise<CatalogueIdentity>;
  readonly load: () => Promise<Catalogue>;
}

/** All catalogues. A new one needs a folder here and an entry in this list; only those in use are loaded. */
export const CATALOGUES: readonly CatalogueEntry[] = [
  {
    name: 'indx',
    about: 'Lectern’s own tools',
    identity: async () => (await import('./indx/identity.ts')).indxIdentity,
    load: loadIndxCatalogue,
  },
  {
    name: 'obsidian',
    about: 'the tools of obsidian-mcp',
    identity: async () => (await import('./obsidian/identity.ts')).obsidianIdentity,
    load: async () => (await import('./obsidian/catalogue.ts')).obsidianCatalogue,
  },
  {
    name: 'joplin',
    about: 'the tools of Joplin’s MCP server',
    identity: async () => (await import('./joplin/identity.ts')).joplinIdentity,
    load: async () => (await import('./joplin/catalogue.ts')).joplinCatalogue,
  },
  {
    name: 'silverbullet',
    about: 'the tools of silverbullet-mcp-server',
    identity: async () => (await import('./silverbullet/identity.ts')).silverbulletIdentity,
    load: async () => (await import('./silverbullet/catalogue.ts')).silverbulletCatalogue,
  },
  {
    name: 'inklings',
    about: 'the tools of Inklings',
    identity: async () => (await import('./inklings/identity.ts')).inklingsIdentity,
    load: async () => (await import('./inklings/catalogue.ts')).inklingsCatalogue,
  },
];

/** The catalogue that is served by default. */
export const NATIVE = 'indx';

/** @throws LecternError `invalid_input` for an unknown name */
export function catalogueNamed(
  name: string,
  catalogues: readonly CatalogueEntry[] = CATALOGUES,
): CatalogueEntry {
  const found = catalogues.find((entry) => entry.name === name.toLowerCase());
  if (found !== undefined) return found;
  const names = catalogues.map((entry) => entry.name);
  const meant = closest(name, names);
  throw new LecternError('invalid_input', `There is no catalogue ${JSON.stringify(name.slice(0, 60))}.`, {
    details: { catalogues: names },
    next: meant === undefined ? `Catalogues: ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
