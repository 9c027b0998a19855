import { matches, type Offer, type ToolSwitches } from '../operations/offer.ts';
import type { Catalogue, CatalogueTool } from './catalogue.ts';
import { forVaults } from './several-vaults.ts';

/** By offer, so that what is kept ends with it. */
const known = new WeakMap<Offer, Map<Catalogue, Catalogue>>();

/**
 * A catalogue as far as an offer reaches: its tools, resources and vaults. The same object for the
 * same two, as lists are kept by it.
 */
export function mounted(catalogue: Catalogue, offer: Offer): Catalogue {
  const cut = known.get(offer) ?? new Map<Catalogue, Catalogue>();
  known.set(offer, cut);
  const ready = cut.get(catalogue) ?? cutTo(catalogue, offer);
  cut.set(catalogue, ready);
  return ready;
}

function cutTo(catalogue: Catalogue, { operations, vaults = [], tools: switches }: Offer): Catalogue {
  const names = new Set(operations.map(({ name }) => name));
  const areOffered = (needed: CatalogueTool['operations']) => needed.every(({ name }) => names.has(name));
  return forVaults(
    {
      ...catalogue,
      tools: catalogue.tools.filter(
        (tool) => areOffered(tool.operations) && isOn(tool, catalogue.name, switches),
      ),
      ...(catalogue.resources && {
        resources: catalogue.resources.filter((source) => areOffered(source.operations ?? [])),
      }),
    },
    vaults,
  );
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
