import { closest } from '../../nearest.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import type { Catalogue } from '../catalogue.ts';
import { fromOperation } from '../from-operation.ts';
import { JsonRpcError } from '../json-rpc-error.ts';
import { indxFailure } from './errors.ts';
import { toolsMore } from './tools-more.ts';

const INVALID_PARAMS = -32_602;

/** The native catalogue: every operation under its own name. */
export const indxCatalogue: Catalogue = {
  name: 'indx',
  tools: OPERATIONS.map(fromOperation),
  moreTools: toolsMore,
  asksForVault: true,
  vaultResources: true,
  failure: indxFailure,
  unknownTool(name, offered) {
    const tools = offered.map((tool) => tool.name);
    const meant = closest(name, tools);
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new JsonRpcError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}.${hint}`, { tools });
  },
};
