import type { ClientUse } from '../app/doctor/context.ts';
import { configuredClients } from './clients/configured.ts';
import { placesOf } from './clients/places.ts';

/** What the clients that are set up on this machine start. */
export async function clientUses(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly ClientUse[]> {
  return configuredClients(placesOf(environment)).map((found) => {
    const { client, file } = found;
    if ('problem' in found)
      return {
        client: client.name,
        file,
        server: '',
        command: '',
        args: [],
        problem: found.problem.message.replace(/[.\s]+$/, ''),
      };
    const [command, ...args] = found.command;
    return { client: client.name, file, server: found.name, command, args };
  });
}
