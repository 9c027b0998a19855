import * as z from 'zod';
import { operation } from './operation.ts';
import { notePath, pageInput, pageOutput, sessionPage } from './shared/fields.ts';
import { backlinkLine, backlinkRow, toBacklinkRow } from './shared/note-parts.ts';
import { counted, lines, noticed, shown } from './shared/rendering.ts';

export const linkBacklinks = operation({
  name: 'link_backlinks',
  title: 'Links to a note',
  description:
    'Every place that links to this note or attachment, with the linking line: links in text, properties, embeds and canvases.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'index',
  places: ['path'],
  toolset: 'core',
  input: z.object({ path: notePath, ...pageInput(10, 200) }),
  output: z.object({ path: z.string(), links: z.array(backlinkRow), ...pageOutput }),
  rest: { method: 'GET', path: '/v1/links/{path}/backlinks' },
  cli: { noun: 'link', verb: 'backlinks', positionals: ['path'] },
  summarise: (out) =>
    `${counted(out.total, 'link')} to ${out.path}${shown(out, out.links.length)}.${noticed(out.notice)}`,
  render: (out) => lines(out.links, backlinkLine),
  run: async (vault, input) => {
    const page = await vault.backlinks(input.path, sessionPage(input));
    return {
      path: page.path,
      links: page.items.map(toBacklinkRow),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
