import type { Catalogue } from '../catalogues/catalogue.ts';

export interface ToolList {
  readonly tools: readonly object[];
}

const lists = new WeakMap<Catalogue, ToolList>();

/** The answer to `tools/list`: the same bytes for every connection. */
export function toolList(catalogue: Catalogue): ToolList {
  const known = lists.get(catalogue);
  if (known) return known;
  const list = { tools: catalogue.tools.map(({ name, listing }) => ({ name, ...listing })) };
  lists.set(catalogue, list);
  return list;
}
