import { isLecternError, type LecternError } from '../../errors.ts';
import type { Command, McpClient } from './client.ts';
import { ENTRY_NAME } from './client.ts';
import { serversIn } from './entry-file.ts';
import type { Places } from './places.ts';
import { CLIENTS } from './table.ts';

/** An entry of Lectern in a client's file. */
export type ConfiguredClient = { readonly client: McpClient; readonly file: string } & (
  | { readonly name: string; readonly command: Command }
  /** Why the file cannot be parsed. */
  | { readonly problem: LecternError }
);

/**
 * All entries of Lectern, under any name, in the files of this machine's clients, and the files that are
 * malformed.
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

/** Whether one of the first three words is the program; a later word may be a folder of that name. */
function startsLectern(command: Command): boolean {
  return command.slice(0, 3).some((word) => /(?:^|[\\/])lectern(?:\.js|\.cmd)?$/.test(word));
}
