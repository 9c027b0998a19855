import type { Row } from '../../sqlite/driver.ts';
import type { JournalActor } from '../journal.ts';

/** Reads the columns `actor_kind`, `actor_name`, `actor_session` and `actor_client`. */
export function actorOf(row: Row): JournalActor {
  return {
    kind: String(row.actor_kind),
    name: String(row.actor_name),
    session: String(row.actor_session),
    ...(typeof row.actor_client === 'string' && { client: row.actor_client }),
  };
}
