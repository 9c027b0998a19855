import type { Catalogue, CatalogueTool, ToolListing } from '../catalogues/catalogue.ts';
import type { Toolset } from '../operations/operation.ts';

export interface ToolList {
  readonly tools: (ToolListing & { readonly name: string })[];
}

const lists = new WeakMap<Catalogue, Map<string, ToolList>>();

/**
 * The answer to `tools/list`: the same bytes for every connection with the same sets.
 *
 * @param shown sets added to the initially listed ones
 */
export function toolList(catalogue: Catalogue, shown: ReadonlySet<Toolset> = new Set()): ToolList {
  const ofCatalogue = lists.get(catalogue) ?? new Map<string, ToolList>();
  lists.set(catalogue, ofCatalogue);
  const key = [...shown].sort().join();
  const known = ofCatalogue.get(key);
  if (known !== undefined) return known;
  const isListed = ({ toolset }: CatalogueTool) =>
    toolset === undefined ||
    catalogue.toolsets === undefined ||
    catalogue.toolsets.includes(toolset) ||
    shown.has(toolset);
  const tools = catalogue.tools.filter(isListed).map(({ name, listing }) => ({ name, ...listing }));
  const list = { tools };
  ofCatalogue.set(key, list);
  return list;
}
