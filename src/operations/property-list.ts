import * as z from 'zod';
import { operation } from './operation.ts';
import { pageInput, pageOutput } from './shared/fields.ts';
import { offsetPage } from './shared/offset-cursor.ts';
import { propertyCensus } from './shared/property-census.ts';
import { counted, lines, noticed, oneLine, shown } from './shared/rendering.ts';

const EXAMPLES = 3;

export const propertyList = operation({
  name: 'property_list',
  title: 'List properties',
  description:
    'Which properties the notes have, with type, count and example values, the most used first. Look here before you set a property or write a filter. property_values has all values of one.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'bases',
  input: z.object({
    prefix: z.string().min(1).optional().describe('Only names that start so'),
    ...pageInput(20, 200),
  }),
  output: z.object({
    properties: z.array(
      z.object({
        name: z.string(),
        notes: z.number().int(),
        types: z.array(z.object({ type: z.string(), notes: z.number().int() })),
        examples: z.array(z.string()),
      }),
    ),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/properties' },
  cli: { noun: 'property', verb: 'list' },
  summarise: (out) =>
    `${counted(out.total, 'property', 'properties')}${shown(out, out.properties.length)}.${noticed(out.notice)}`,
  render: (out) =>
    lines(
      out.properties,
      ({ name, notes, types, examples }) =>
        `${name}: ${types.map(({ type, notes: times }) => (types.length === 1 ? type : `${type} ${times}`)).join(', ')}; ${counted(notes, 'note')}; e.g. ${examples.map((example) => oneLine(example, 40)).join(', ')}`,
    ),
  async run(vault, input, { signal }) {
    const prefix = input.prefix?.toLowerCase() ?? '';
    const uses = (await propertyCensus(vault, signal)).filter(({ name }) =>
      name.toLowerCase().startsWith(prefix),
    );
    const { rows, ...page } = offsetPage(uses, input, 'p', 'property_list');
    return {
      properties: rows.map(({ name, notes, types, values }) => ({
        name,
        notes,
        types: [...types],
        examples: values
          .filter(({ value }) => value !== '')
          .slice(0, EXAMPLES)
          .map(({ value }) => value),
      })),
      ...page,
    };
  },
});
