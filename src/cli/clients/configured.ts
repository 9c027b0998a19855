import { isLecternError, type LecternError } from '../../errors.ts';
import type { Command, McpClient } from './client.ts';
import { ENTRY_NAME } from './client.ts';
import { serversIn } from './entry-file.ts';
import type { Places } from './places.ts';
import { CLIENTS } from './table.ts';

/** What the file of one client says of Lectern. */
export type ConfiguredClient = { readonly client: McpClient; readonly file: string } & (
  | { readonly name: string; readonly command: Command }
  /** The file cannot be read as what it should be. */
  | { readonly problem: LecternError }
);

/**
 * Every entry of Lectern in the files of the clients on this machine, under whatever name it stands there, and the
 * files that are not well-formed.
 */
export function configuredClients(places: Places): readonly ConfiguredClient[] {
  return CLIENTS.flatMap((client): readonly ConfiguredClient[] => {
    const file = client.file(places);
    const text = places.text(file);
    if (text === undefined) return [];
    try {
      return [...serversIn(client, file, text)].flatMap(([name, entry]) => {
        const command = client.command(entry);
        return command !== undefined && (name === ENTRY_NAME || startsLectern(command))
          ? [{ client, file, name, command }]
          : [];
      });
    } catch (error) {
      if (!isLecternError(error)) throw error;
      return [{ client, file, problem: error }];
    }
  });
}

/** Whether one of the first words is the program: what comes later may be a folder of that name. */
function startsLectern(command: Command): boolean {
  return command.slice(0, 3).some((word) => /(?:^|[\\/])lectern(?:\.js|\.cmd)?$/.test(word));
}
