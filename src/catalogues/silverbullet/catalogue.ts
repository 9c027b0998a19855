import type { Catalogue } from '../catalogue.ts';
import { failure, unknownTool } from './failures.ts';
import { LIST_TOOLS } from './list-tools.ts';
import { MOVE_TOOLS } from './move-tools.ts';
import { WRITE_TOOLS } from './write-tools.ts';

/** The tools of silverbullet-mcp-server over the folder of a space, without SilverBullet's own server in between. */
export const silverbulletCatalogue: Catalogue = {
  name: 'silverbullet',
  tools: [...LIST_TOOLS, ...WRITE_TOOLS, ...MOVE_TOOLS],
  failure,
  unknownTool,
};
