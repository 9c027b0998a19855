import type { Catalogue } from '../catalogue.ts';
import { failure, unknownTool } from './failures.ts';
import { LIST_TOOLS } from './list-tools.ts';
import { MOVE_TOOLS } from './move-tools.ts';
import { WRITE_TOOLS } from './write-tools.ts';

/** The tools of silverbullet-mcp-server on the folder of a space, without SilverBullet's server. */
export const silverbulletCatalogue: Catalogue = {
  name: 'silverbullet',
  tools: [...LIST_TOOLS, ...WRITE_TOOLS, ...MOVE_TOOLS],
  failure,
  unknownTool,
};
