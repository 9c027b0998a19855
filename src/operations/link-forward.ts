import * as z from 'zod';
import { operation } from './operation.ts';
import { notePath, pageInput, pageOutput, sessionPage } from './shared/fields.ts';
import { forwardLine, forwardRow, toForwardRow } from './shared/note-parts.ts';
import { counted, lines, noticed, shown } from './shared/rendering.ts';

export const linkForward = operation({
  name: 'link_forward',
  title: 'Links from a note',
  description:
    'Every link a note makes, in order, with the file it leads to; links that lead nowhere, or to a heading or block that is not there, are marked.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['path'],
  toolset: 'core',
  input: z.object({ path: notePath, ...pageInput(15, 200) }),
  output: z.object({ path: z.string(), links: z.array(forwardRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/links/{path}/forward' },
  cli: { noun: 'link', verb: 'forward', positionals: ['path'] },
  summarise: (out) =>
    `${counted(out.total, 'link')} from ${out.path}${shown(out, out.links.length)}.${noticed(out.notice)}`,
  render: (out) => lines(out.links, forwardLine),
  run: async (vault, input) => {
    const page = await vault.forward(input.path, sessionPage(input));
    return {
      path: page.path,
      links: page.items.map(toForwardRow),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
