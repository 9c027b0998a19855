import * as z from 'zod';
import type { Refusal } from '../vault/session.ts';
import { operation } from './operation.ts';
import { isoTime, pageInput, pageOutput, sessionPage } from './shared/fields.ts';
import { counted, lines, shown } from './shared/rendering.ts';
import { parseTime } from './shared/time.ts';

export const noteHistory = operation({
  name: 'note_history',
  title: 'What was written',
  description:
    'Writes made through Lectern, newest first: what, when, by whom and through which door. For one note (path) or all, optionally since a time, by one client (actor) or by you in this connection (mine). note_undo takes them back.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  places: ['path'],
  toolset: 'write',
  input: z.object({
    path: z.string().min(1).optional().describe('Only writes that touched this path'),
    since: z.string().optional().describe('ISO 8601 time, or e.g. 2h, 3d'),
    actor: z.string().optional(),
    mine: z.boolean().default(false).describe('Only writes of this connection'),
    refused: z.boolean().default(false).describe('Also the newest calls that were refused'),
    ...pageInput(20, 200),
  }),
  output: z.object({
    writes: z.array(
      z.object({
        write_id: z.number().int(),
        time: z.string(),
        tool: z.string(),
        actor: z.string(),
        client: z.string().optional(),
        door: z.string(),
        summary: z.string(),
        state: z.string(),
        paths: z.array(z.string()),
        files: z.number().int(),
      }),
    ),
    refused: z
      .array(
        z.object({
          time: z.string(),
          tool: z.string(),
          actor: z.string(),
          client: z.string().optional(),
          door: z.string(),
          code: z.string(),
          paths: z.array(z.string()),
        }),
      )
      .optional(),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/history' },
  cli: { noun: 'note', verb: 'history', positionals: ['path'] },
  summarise: (out) => `${counted(out.total, 'write')}${shown(out, out.writes.length)}.`,
  render: (out) =>
    [
      lines(
        out.writes,
        (write) =>
          `${write.write_id} ${write.time} ${by(write)} ${write.summary}${write.state === 'done' ? '' : ` [${write.state}]`}`,
      ),
      lines(
        out.refused ?? [],
        (call) => `refused ${call.time} ${by(call)} ${[call.tool, ...call.paths].join(' ')} [${call.code}]`,
      ),
    ]
      .filter((part) => part !== '')
      .join('\n'),
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
        ...(write.client !== undefined && { client: write.client }),
        door: write.door,
        summary: write.summary,
        state: write.state,
        paths: [...write.paths],
        files: write.files,
      })),
      ...(input.refused && { refused: (await vault.refusals(input.limit)).map(toRefused) }),
      total: page.total,
      next_cursor: page.nextCursor,
    };
  },
});

function by({ actor, client, door }: { actor: string; client?: string | undefined; door: string }): string {
  return `${client === undefined ? actor : `${actor} (${client})`} by ${door}`;
}

function toRefused({ time, tool, actor, code, paths }: Refusal) {
  return {
    time: isoTime(time),
    tool,
    actor: actor.name,
    ...(actor.client !== undefined && { client: actor.client }),
    door: actor.kind,
    code,
    paths: [...paths],
  };
}
