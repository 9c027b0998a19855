import { Turn } from '../../turn.ts';
import type { Catalogue } from '../catalogue.ts';

let loaded: Promise<Catalogue> | undefined;

/** Loads the catalogue piece by piece: making the schemas of all tools at once would block other calls. */
export function loadIndxCatalogue(): Promise<Catalogue> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Catalogue> {
  const { OPERATIONS } = await import('../../operations/registry.ts');
  const { toolSchema } = await import('../../operations/call/json-schema.ts');
  const turn = new Turn();
  for (const { input } of OPERATIONS) {
    await turn.mine();
    toolSchema(input);
  }
  await turn.mine();
  return (await import('./catalogue.ts')).indxCatalogue;
}
