import { matches, type Offer, type ToolSwitches } from '../operations/offer.ts';
import type { Catalogue, CatalogueTool } from './catalogue.ts';
import { forVaults } from './several-vaults.ts';

/** Cached per offer, and released with it. */
const known = new WeakMap<Offer, Map<Catalogue, Catalogue>>();

/**
 * A catalogue reduced to an offer: its tools, resources and vaults. The same two arguments give the same
 * object, because lists are cached by it.
 */
export function mounted(catalogue: Catalogue, offer: Offer): Catalogue {
  const cut = known.get(offer) ?? new Map<Catalogue, Catalogue>();
  known.set(offer, cut);
  const ready = cut.get(catalogue) ?? cutTo(catalogue, offer);
  cut.set(catalogue, ready);
  return ready;
}

function cutTo(catalogue: Catalogue, offer: Offer): Catalogue {
  const { operations, dormant = [], vaults = [], tools: switches } = offer;
  const offered = new Map(operations.map((each) => [each.name, each]));
  const known = new Set([...offered.keys(), ...dormant.map(({ name }) => name)]);
  const switchedOn = catalogue.tools.filter((tool) => isOn(tool, catalogue.name, switches));
  const areOffered = (needed: CatalogueTool['operations']) => needed.every(({ name }) => offered.has(name));
  const mayWrite = (tool: CatalogueTool) =>
    tool.operations.every(({ name, writing }) => writing === undefined || offered.get(name)?.writing);
  const cut = forVaults(
    {
      ...catalogue,
      tools: switchedOn
        .filter((tool) => areOffered(tool.operations))
        .map((tool) => (mayWrite(tool) ? tool : (tool.reading ?? tool))),
      dormant: switchedOn.filter(
        (tool) => !areOffered(tool.operations) && tool.operations.every(({ name }) => known.has(name)),
      ),
      ...(catalogue.resources && {
        resources: catalogue.resources.filter((source) => areOffered(source.operations ?? [])),
      }),
    },
    vaults,
  );
  return withSets(cut, offer.toolsets);
}

/** Tools of hidden sets stay callable; an additional tool lists the sets. */
function withSets(catalogue: Catalogue, toolsets: Offer['toolsets']): Catalogue {
  if (catalogue.moreTools === undefined || toolsets === undefined) return catalogue;
  const hidden = catalogue.tools.filter(
    ({ toolset }) => toolset !== undefined && !toolsets.includes(toolset),
  );
  if (hidden.length === 0) return catalogue;
  return { ...catalogue, toolsets, tools: [...catalogue.tools, catalogue.moreTools(hidden)] };
}

function isOn(
  { name, defaultOn = true }: CatalogueTool,
  catalogue: string,
  switches: ToolSwitches | undefined,
): boolean {
  const named = (patterns: readonly string[] = []) =>
    matches(name, patterns) || matches(`${catalogue}/${name}`, patterns);
  return (defaultOn || named(switches?.on)) && !named(switches?.off);
}
