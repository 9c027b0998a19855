import { type Catalogue, textAnswer } from '../catalogue.ts';
import { failure } from './failures.ts';
import { READ_TOOLS } from './read-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';
import { WRITE_TOOLS } from './write-tools.ts';

/**
 * The tools of the MCP server in Joplin's Web Clipper; here they work on a folder of exported notes or on a
 * running Joplin.
 */
export const joplinCatalogue: Catalogue = {
  name: 'joplin',
  tools: [...SEARCH_TOOLS, ...READ_TOOLS, ...WRITE_TOOLS],
  failure,
  unknownTool: (name) =>
    textAnswer(
      joplinCatalogue.tools.some((tool) => tool.name === name)
        ? `Tool '${name}' is disabled in Joplin settings`
        : `Unknown tool '${name.slice(0, 200)}'`,
      true,
    ),
};
