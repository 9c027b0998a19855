import { Turn } from '../../turn.ts';
import type { Catalogue } from '../catalogue.ts';

let loaded: Promise<Catalogue> | undefined;

/** The catalogue, loaded beside what is served: to make the schemas of all tools at once would hold up other calls. */
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
