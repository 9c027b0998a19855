import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '../../../sqlite/driver.ts';
import { inspectDatabase } from '../../../sqlite/inspect.ts';
import { AUTH_FILE } from '../../state-files.ts';
import { type Check, counted, type Finding, ok, problem } from '../check.ts';
import type { DoctorContext } from '../context.ts';

const DAY_MS = 24 * 3600_000;
const SOON_MS = 14 * DAY_MS;

/** Finds tokens that are expired or about to expire. */
export const tokens: Check = {
  name: 'tokens',
  run(context) {
    const path = context.serverState === undefined ? undefined : join(context.serverState, AUTH_FILE);
    if (path === undefined || !existsSync(path)) return [ok('tokens.none', 'There are no tokens yet.')];
    let rows: readonly Row[];
    try {
      rows = inspectDatabase(path, (database) =>
        database.prepare('SELECT id, name, expires FROM token WHERE revoked IS NULL ORDER BY expires').all(),
      );
    } catch {
      // A damaged file is reported by another check.
      return [];
    }
    const findings = rows.flatMap((row) => look(context, row));
    return findings.length > 0
      ? findings
      : [ok('tokens.good', `${counted(rows.length, 'token')} works, and none runs out soon.`)];
  },
};

function look({ now, privates }: DoctorContext, { id, name, expires }: Row): readonly Finding[] {
  if (expires === null || expires === undefined) return [];
  const left = Number(expires) - now();
  if (left > SOON_MS) return [];
  const called = JSON.stringify(privates.add('token', String(name)));
  privates.add('token', String(id));
  const date = new Date(Number(expires)).toISOString().slice(0, 10);
  if (left <= 0)
    return [
      problem(
        'tokens.expired',
        `The token ${called} ran out on ${date}: its client is let in no more.`,
        `Make a new one with lectern token create, or forget it: lectern token revoke ${String(id)}.`,
      ),
    ];
  return [
    problem(
      'tokens.expires',
      `The token ${called} runs out in ${counted(Math.floor(left / DAY_MS), 'day')}, on ${date}.`,
      'Make a new one with lectern token create and give it to the client.',
    ),
  ];
}
