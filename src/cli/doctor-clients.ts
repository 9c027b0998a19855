import type { ClientUse } from '../app/doctor/context.ts';

/** What the clients that are set up on this machine start. */
export async function clientUses(
  _environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly ClientUse[] | undefined> {
  return [];
}
