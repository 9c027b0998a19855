import * as z from 'zod';
import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import { operation } from './operation.ts';
import { pageInput, pageOutput } from './shared/fields.ts';
import { offsetPage } from './shared/offset-cursor.ts';
import { propertyCensus, propertyKey } from './shared/property-census.ts';
import { counted, lines, noticed, oneLine, shown } from './shared/rendering.ts';

export const propertyValues = operation({
  name: 'property_values',
  title: 'Values of a property',
  description:
    'The values of one property with how many notes have each, the commonest first; items of lists count by themselves. Use one of them rather than a new spelling.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'bases',
  input: z.object({
    name: z.string().min(1).describe('Property name, in any case'),
    prefix: z.string().min(1).optional().describe('Only values that start so'),
    ...pageInput(30, 500),
  }),
  output: z.object({
    name: z.string(),
    notes: z.number().int(),
    values: z.array(z.object({ value: z.string(), notes: z.number().int() })),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/properties/{name}/values' },
  cli: { noun: 'property', verb: 'values', positionals: ['name'] },
  summarise: (out) =>
    `${oneLine(out.name, 60)}: ${counted(out.total, 'value')} in ${counted(out.notes, 'note')}${shown(out, out.values.length)}.${noticed(out.notice)}`,
  render: (out) =>
    lines(out.values, ({ value, notes }) => `${notes} × ${value === '' ? '(empty)' : oneLine(value, 120)}`),
  async run(vault, input, { signal }) {
    const wanted = propertyKey(input.name.trim());
    const [use] = await propertyCensus(vault, signal, wanted);
    if (use === undefined) throw await unknownProperty(vault, input.name, signal);
    const prefix = input.prefix?.toLowerCase() ?? '';
    const values = use.values.filter(({ value }) => value.toLowerCase().startsWith(prefix));
    const { rows, ...page } = offsetPage(values, input, 'v', 'property_values');
    return {
      name: use.name,
      notes: use.notes,
      values: rows.map(({ value, notes }) => ({ value, notes })),
      ...page,
    };
  },
});

async function unknownProperty(
  vault: Parameters<typeof propertyCensus>[0],
  name: string,
  signal: AbortSignal,
): Promise<LecternError> {
  const names = (await propertyCensus(vault, signal)).map((use) => use.name);
  const meant = closest(name, names);
  return new LecternError('not_found', `No note has a property ${JSON.stringify(name.slice(0, 60))}.`, {
    next: meant === undefined ? 'property_list shows which there are.' : `Did you mean ${meant}?`,
  });
}
