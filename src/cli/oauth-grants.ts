import { join } from 'node:path';
import { OAUTH_FILE } from '../app/state-files.ts';
import { rotateKeys } from '../auth/oauth/keys.ts';
import { OAuthDatabase } from '../auth/oauth/oauth-database.ts';
import { LecternError } from '../errors.ts';
import { minute, serverStateFolder, type VaultFlags } from './token.ts';

/** Prints the grants that the owner gave on the consent page, newest first. */
export async function listGrants(flags: VaultFlags): Promise<void> {
  await withDatabase(flags, (database) => {
    const rows = database
      .grants()
      .map(({ id, name, client, granted, words }) =>
        [id, printable(name), printable(client), words.join(' '), `since ${minute(granted)}`].join('  '),
      );
    process.stdout.write(rows.length === 0 ? 'Nobody was let in.\n' : `${rows.join('\n')}\n`);
  });
}

/**
 * Revokes a grant; its tokens stop working with the next request.
 *
 * @throws LecternError `not_found` for an unknown id
 */
export async function revokeGrant(id: string, flags: VaultFlags): Promise<void> {
  await withDatabase(flags, (database) => {
    if (!database.revoke(id)) {
      throw new LecternError('not_found', `Nobody was let in under ${JSON.stringify(id.slice(0, 100))}.`, {
        next: 'See lectern oauth list for ids.',
      });
    }
    process.stdout.write(`Revoked ${id}.\n`);
  });
}

/** Replaces the signing keys and revokes all grants and sessions; tokens of `lectern token` stay valid. */
export async function rotateOAuthKeys(flags: VaultFlags): Promise<void> {
  await withDatabase(flags, (database) => {
    const ended = rotateKeys(database);
    const clients = `${ended} client${ended === 1 ? ' has' : 's have'}`;
    process.stdout.write(`New keys. ${clients} to ask you again.\n`);
  });
}

async function withDatabase(flags: VaultFlags, work: (database: OAuthDatabase) => void): Promise<void> {
  const database = new OAuthDatabase(join(await serverStateFolder(flags), OAUTH_FILE));
  try {
    work(database);
  } finally {
    database.close();
  }
}

/** Replaces control characters, as clients choose these names and a terminal would execute them. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').slice(0, 100);
}
