import * as z from 'zod';
import { isoTime, pageInput, pageOutput, sessionPage } from './fields.ts';
import { operation } from './operation.ts';
import { counted, lines, shown } from './rendering.ts';
import { parseTime } from './time.ts';

export const noteHistory = operation({
  name: 'note_history',
  title: 'What was written',
  description:
    'Writes made through Lectern, newest first: what, when and by whom. For one note (path) or all, optionally since a time, by one client (actor) or by you in this connection (mine). note_undo takes them back.',
  scope: 'vault:read',
  effects: 'reads',
  input: z.object({
    path: z.string().min(1).optional().describe('Only writes that touched this path'),
    since: z.string().optional().describe('ISO 8601 time, or e.g. 2h, 3d'),
    actor: z.string().optional(),
    mine: z.boolean().default(false).describe('Only writes of this connection'),
    ...pageInput(20, 200),
  }),
  output: z.object({
    writes: z.array(
      z.object({
        write_id: z.number().int(),
        time: z.string(),
        tool: z.string(),
        actor: z.string(),
        summary: z.string(),
        state: z.string(),
        paths: z.array(z.string()),
        files: z.number().int(),
      }),
    ),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/history' },
  cli: { noun: 'note', verb: 'history', positionals: ['path'] },
  summarise: (out) => `${counted(out.total, 'write')}${shown(out, out.writes.length)}.`,
  render: (out) =>
    lines(
      out.writes,
      (write) =>
        `${write.write_id} ${write.time} ${write.actor} ${write.summary}${write.state === 'done' ? '' : ` [${write.state}]`}`,
    ),
  run: async (vault, input) => {
    const page = await vault.history({
      ...sessionPage(input),
      ...(input.path !== undefined && { path: input.path }),
      ...(input.actor !== undefined && { actor: input.actor }),
      ...(input.mine && { session: vault.actor.session }),
      ...(input.since !== undefined && { since: parseTime(input.since) }),
    });
    return {
      writes: page.items.map((write) => ({
        write_id: write.writeId,
        time: isoTime(write.time),
        tool: write.tool,
        actor: write.actor,
        summary: write.summary,
        state: write.state,
        paths: [...write.paths],
        files: write.files,
      })),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});
