import type { Catalogue } from '../catalogue.ts';
import { failure, unknownTool } from './failures.ts';
import { LINK_TOOLS } from './link-tools.ts';
import { LIST_TOOLS } from './list-tools.ts';
import { NOTE_TOOLS } from './note-tools.ts';
import { PROPERTY_TOOLS } from './property-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';
import { listTasks } from './task-tools.ts';

/**
 * The tools of obsidian-mcp, which runs commands of Obsidian; here they work on the files, without Obsidian.
 */
export const obsidianCatalogue: Catalogue = {
  name: 'obsidian',
  tools: [...NOTE_TOOLS, ...SEARCH_TOOLS, ...LINK_TOOLS, ...LIST_TOOLS, ...PROPERTY_TOOLS, listTasks],
  failure,
  unknownTool,
};
