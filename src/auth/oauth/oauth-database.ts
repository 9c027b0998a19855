import { createHash } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { type Database, openDatabase, type Row, transaction } from '../../sqlite/driver.ts';
import { RefreshRotation } from './refresh-rotation.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS record (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    payload TEXT NOT NULL,
    grant_id TEXT,
    uid TEXT,
    expires INTEGER,
    PRIMARY KEY (kind, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS record_grant ON record (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS record_uid ON record (kind, uid) WHERE uid IS NOT NULL;
  CREATE TABLE IF NOT EXISTS narrowing (
    grant_id TEXT PRIMARY KEY,
    words TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;`;

/** A client to which the owner granted access. */
export interface GrantRecord {
  readonly id: string;
  /** The client's id; for metadata documents their address. */
  readonly client: string;
  /** The client's own name. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly granted: number;
  /** Scope words. */
  readonly words: readonly string[];
}

export interface OAuthDatabaseOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** How long a used refresh token may be presented again, ms. Default: not at all. */
  readonly refreshGraceMs?: number;
}

/** Bearer values are stored as hashes only: reading the file does not yield a usable token. */
const SECRET_KINDS: ReadonlySet<string> = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken']);

/** The storage of the authorization server: clients, grants, hashed tokens, the owner's passphrase hash. */
export class OAuthDatabase {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #rotation: RefreshRotation;

  constructor(path: string, { now = Date.now, refreshGraceMs = 0 }: OAuthDatabaseOptions = {}) {
    this.#database = openDatabase(path);
    this.#database.exec(SCHEMA);
    this.#now = now;
    this.#rotation = new RefreshRotation(this.#database, refreshGraceMs, now);
  }

  /** One kind of record, in the form oidc-provider's adapters need. */
  adapter(kind: string): Adapter {
    const database = this.#database;
    const secret = SECRET_KINDS.has(kind);
    const key = (id: string) => (secret ? createHash('sha256').update(id).digest('hex') : id);
    const live = 'kind = ? AND (expires IS NULL OR expires > ?)';
    const get = (column: 'id' | 'uid', value: string): AdapterPayload | undefined => {
      const row = database
        .prepare(`SELECT payload FROM record WHERE ${live} AND ${column} = ?`)
        .get(kind, this.#now(), value);
      return row === undefined ? undefined : (JSON.parse(String(row.payload)) as AdapterPayload);
    };
    return {
      upsert: async (id, { jti, ...payload }, expiresIn) => {
        database
          .prepare(
            'INSERT OR REPLACE INTO record (kind, id, payload, grant_id, uid, expires) VALUES (?, ?, ?, ?, ?, ?)',
          )
          .run(
            kind,
            key(id),
            JSON.stringify(secret ? payload : { ...payload, ...(jti !== undefined && { jti }) }),
            text(payload.grantId),
            text(payload.uid),
            expiresIn === undefined ? null : this.#now() + expiresIn * 1000,
          );
      },
      find: async (id) => {
        const payload = get('id', key(id));
        if (payload === undefined || !secret) return payload;
        return { ...(kind === 'RefreshToken' ? this.#rotation.seen(payload) : payload), jti: id };
      },
      findByUid: async (uid) => get('uid', uid),
      findByUserCode: async () => undefined,
      consume: async (id) => {
        if (kind === 'RefreshToken') return this.#rotation.consume(key(id));
        database
          .prepare("UPDATE record SET payload = json_set(payload, '$.consumed', ?) WHERE kind = ? AND id = ?")
          .run(Math.floor(this.#now() / 1000), kind, key(id));
      },
      destroy: async (id) => {
        database.prepare('DELETE FROM record WHERE kind = ? AND id = ?').run(kind, key(id));
      },
      revokeByGrantId: async (grantId) => this.#forget(grantId),
    };
  }

  /** The owner's restrictions of a grant: scope words in addition to those of OAuth. */
  narrow(grantId: string, words: readonly string[]): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO narrowing (grant_id, words) VALUES (?, ?)')
      .run(grantId, JSON.stringify(words));
  }

  /** @returns undefined for a grant that does not exist or was revoked */
  narrowing(grantId: string): readonly string[] | undefined {
    const row = this.#database.prepare('SELECT words FROM narrowing WHERE grant_id = ?').get(grantId);
    return row === undefined ? undefined : (JSON.parse(String(row.words)) as string[]);
  }

  /** All valid grants, newest first. */
  grants(): readonly GrantRecord[] {
    return this.#database
      .prepare(
        `SELECT record.id, record.payload, narrowing.words, client.payload AS client
           FROM record JOIN narrowing ON narrowing.grant_id = record.id
           LEFT JOIN record AS client ON client.kind = 'Client'
             AND client.id = json_extract(record.payload, '$.clientId')
          WHERE record.kind = 'Grant' AND (record.expires IS NULL OR record.expires > ?)
          ORDER BY json_extract(record.payload, '$.iat') DESC, record.id`,
      )
      .all(this.#now())
      .map(toGrantRecord);
  }

  /** Ends a grant and all of its tokens. @returns false when there is none of that id */
  revoke(grantId: string): boolean {
    return transaction(this.#database, () => {
      const gone = this.#database.prepare("DELETE FROM record WHERE kind = 'Grant' AND id = ?").run(grantId);
      this.#forget(grantId);
      return Number(gone.changes) > 0;
    });
  }

  /** Revokes every grant, token, code and sign-in; clients stay registered. @returns how many grants */
  revokeAll(): number {
    return transaction(this.#database, () => {
      const gone = this.#database.prepare("DELETE FROM record WHERE kind = 'Grant'").run();
      this.#database.prepare("DELETE FROM record WHERE kind <> 'Client'").run();
      this.#database.prepare('DELETE FROM narrowing').run();
      return Number(gone.changes);
    });
  }

  #forget(grantId: string): void {
    this.#database.prepare('DELETE FROM record WHERE grant_id = ?').run(grantId);
    this.#database.prepare('DELETE FROM narrowing WHERE grant_id = ?').run(grantId);
  }

  setting(name: string): string | undefined {
    const row = this.#database.prepare('SELECT value FROM setting WHERE name = ?').get(name);
    return row === undefined ? undefined : String(row.value);
  }

  set(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)').run(name, value);
  }

  /** Deletes expired records, and clients without a grant a day after their registration. */
  sweep(): void {
    const now = this.#now();
    this.#database.prepare('DELETE FROM record WHERE expires <= ?').run(now);
    this.#database
      .prepare(
        `DELETE FROM record WHERE kind = 'Client'
           AND json_extract(payload, '$.client_id_issued_at') < ?
           AND NOT EXISTS (SELECT 1 FROM record AS of WHERE of.kind = 'Grant'
             AND json_extract(of.payload, '$.clientId') = record.id)`,
      )
      .run(Math.floor(now / 1000) - 86_400);
  }

  close(): void {
    this.#database.close();
  }
}

function toGrantRecord(row: Row): GrantRecord {
  const grant = JSON.parse(String(row.payload)) as {
    clientId: string;
    iat: number;
    resources?: Record<string, string>;
  };
  const client = row.client === null ? {} : (JSON.parse(String(row.client)) as { client_name?: string });
  return {
    id: String(row.id),
    client: grant.clientId,
    name: client.client_name ?? grant.clientId,
    granted: grant.iat * 1000,
    words: [
      ...Object.values(grant.resources ?? {}).flatMap((scopes) => scopes.split(' ')),
      ...(JSON.parse(String(row.words)) as string[]),
    ],
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
