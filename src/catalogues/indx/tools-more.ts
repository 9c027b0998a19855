import { LecternError } from '../../errors.ts';
import { closest } from '../../nearest.ts';
import { TOOLSETS, type Toolset } from '../../operations/operation.ts';
import type { CatalogueTool } from '../catalogue.ts';

/** The tool that adds further sets to the list. */
export function toolsMore(hidden: readonly CatalogueTool[]): CatalogueTool {
  const sets = Object.keys(TOOLSETS).filter((set) => hidden.some(({ toolset }) => toolset === set));
  const about = sets.map((set) => `${set} (${TOOLSETS[set as Toolset]})`).join(', ');
  return {
    name: 'tools_more',
    listing: {
      title: 'More tools',
      description: `Describes a further set of tools and adds it to the list of tools: ${about}. They can be called by name at once, listed or not.`,
      inputSchema: {
        type: 'object',
        properties: { set: { type: 'string', enum: sets } },
        required: ['set'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    operations: [],
    async call(given, { showToolset }) {
      const set = setIn(given, sets);
      const tools = hidden
        .filter(({ toolset }) => toolset === set)
        .map(({ name, listing: { title, description, inputSchema } }) => ({
          name,
          title,
          description,
          inputSchema,
        }));
      const listed = showToolset(set);
      const how = listed
        ? 'They are in the list of tools now.'
        : 'The list of tools stays as it is in this revision of the protocol; call them by name, or ask the owner to add the set with --toolset.';
      const lines = tools.map(
        ({ name, description, inputSchema }) =>
          `${name}: ${description} Input: ${JSON.stringify(inputSchema)}`,
      );
      return {
        content: [
          { type: 'text', text: [`${tools.length} tools of the set ${set}. ${how}`, ...lines].join('\n') },
        ],
        structuredContent: { set, listed, tools },
      };
    },
  };
}

/** @throws LecternError `invalid_input` */
function setIn(given: unknown, sets: readonly string[]): Toolset {
  const asked = typeof given === 'object' && given !== null && 'set' in given ? given.set : undefined;
  const set = sets.find((known) => known === asked);
  if (set !== undefined) return set as Toolset;
  const meant = typeof asked === 'string' ? closest(asked, sets) : undefined;
  throw new LecternError('invalid_input', 'tools_more needs the name of a set.', {
    details: { sets },
    next: meant === undefined ? `Pass set: ${sets.join(' or ')}.` : `Did you mean ${meant}?`,
  });
}
