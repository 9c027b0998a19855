import type { ClientUse } from '../app/doctor/context.ts';
import { configuredClients } from './clients/configured.ts';
import { placesOf } from './clients/places.ts';

/** The entries of Lectern in the files of this machine's clients, for the doctor's checks. */
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
