import type { Catalogue } from '../catalogue.ts';
import { DISCOVERY_TOOLS } from './discovery-tools.ts';
import { failure, unknownTool } from './failures.ts';
import { readPage } from './read-page.ts';
import { RESOURCES } from './resources.ts';
import { WRITE_TOOLS } from './write-tools.ts';

const tools = [...DISCOVERY_TOOLS, readPage, ...WRITE_TOOLS];
const names = tools.map(({ name }) => name);

/**
 * The tools of Inklings, whose own server runs inside its app; here pages are notes and folders of the vault.
 */
export const inklingsCatalogue: Catalogue = {
  name: 'inklings',
  tools,
  resources: [RESOURCES],
  failure,
  unknownTool: (name, offered) => unknownTool(name, offered, names),
};
