import type { Catalogue } from '../../src/catalogues/catalogue.ts';
import { indxCatalogue } from '../../src/catalogues/indx/catalogue.ts';
import type { ListName } from '../../src/mcp/server.ts';
import type { TestDoorOptions } from '../support/test-door.ts';
import { ASKING_TOOLS } from './asking-tools.ts';
import { catalogueTool, type FixtureTool } from './fixture-tool.ts';
import { PLAIN_TOOLS } from './plain-tools.ts';
import { FIXTURE_PROMPTS } from './prompts.ts';
import { FIXTURE_RESOURCES } from './resources.ts';

/**
 * What the conformance suite wants a server to have, beside Lectern's own tools, prompts and
 * resources. No entry of the product loads it.
 */
export function conformanceFixture(): Required<Pick<TestDoorOptions, 'catalogue' | 'door'>> {
  const listeners = new Set<(lists: readonly ListName[]) => void>();
  const changes = (list: ListName): FixtureTool => ({
    name: `test_trigger_${list === 'tools' ? 'tool' : 'prompt'}_change`,
    description: `Tells that the list of ${list} has changed.`,
    run: () => {
      for (const tell of listeners) tell([list]);
      return { text: 'Told.' };
    },
  });
  const tools = [...PLAIN_TOOLS, ...ASKING_TOOLS, changes('tools'), changes('prompts')];
  const catalogue: Catalogue = {
    ...indxCatalogue,
    tools: [...indxCatalogue.tools, ...tools.map(catalogueTool)],
    prompts: FIXTURE_PROMPTS,
    resources: [FIXTURE_RESOURCES],
  };
  return {
    catalogue,
    door: {
      onListsChanged: (tell) => {
        listeners.add(tell);
        return () => listeners.delete(tell);
      },
    },
  };
}
