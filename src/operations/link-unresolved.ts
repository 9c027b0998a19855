import * as z from 'zod';
import { operation } from './operation.ts';
import { pageInput, pageOutput, sessionPage } from './shared/fields.ts';
import { counted, lines, noticed, shown } from './shared/rendering.ts';

/** Limit of sources per name: the count is always exact. */
const SOURCES_SHOWN = 2;

export const linkUnresolved = operation({
  name: 'link_unresolved',
  title: 'Links that lead nowhere',
  description: 'Link targets that no file in the vault has, with how often and where they are written.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: [],
  toolset: 'structure',
  input: z.object(pageInput(10, 200)),
  output: z.object({
    unresolved: z.array(
      z.object({
        target: z.string(),
        count: z.number().int(),
        sources: z.array(z.object({ path: z.string(), line: z.number().int() })),
      }),
    ),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/links/unresolved' },
  cli: { noun: 'link', verb: 'unresolved' },
  summarise: (out) =>
    `${counted(out.total, 'unresolved target')}${shown(out, out.unresolved.length)}.${noticed(out.notice)}`,
  render: (out) =>
    lines(out.unresolved, (row) => {
      const places = row.sources.map((source) => `${source.path}:${source.line}`).join(', ');
      return `${row.target} ×${row.count} in ${places}${row.count > row.sources.length ? ', …' : ''}`;
    }),
  run: async (vault, input) => {
    const page = await vault.unresolved(sessionPage(input));
    return {
      unresolved: page.items.map((record) => ({
        target: record.written,
        count: record.count,
        sources: record.sources.slice(0, SOURCES_SHOWN).map(({ path, line }) => ({ path, line })),
      })),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
