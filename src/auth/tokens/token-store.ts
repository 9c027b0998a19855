import { LecternError } from '../../errors.ts';
import { type Database, openDatabase, type Row, transaction } from '../../sqlite/driver.ts';
import { type Grant, type Principal, parseScopes, scopeWords } from '../grant.ts';
import { type NewToken, newToken, readToken, sameHash } from './secret.ts';

/** The record of a token, without the token. Times are milliseconds since the epoch. */
export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  readonly grant: Grant;
  readonly created: number;
  readonly expires: number | undefined;
  readonly revoked: number | undefined;
  /** Precise to the minute. */
  readonly lastUsed: number | undefined;
}

export interface TokenRequest {
  readonly name: string;
  readonly grant: Grant;
  readonly expires: number | undefined;
  /** Default: Lectern's own format. */
  readonly made?: NewToken;
}

export type Verdict =
  | { readonly kind: 'good'; readonly principal: Principal }
  | { readonly kind: 'unknown' | 'expired' | 'revoked' };

interface KnownToken {
  readonly hash: Uint8Array;
  readonly record: TokenRecord;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS token (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash BLOB NOT NULL,
    scopes TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER,
    revoked INTEGER,
    last_used INTEGER
  ) STRICT`;

const MAX_NAME = 100;
const USED_STEP_MS = 60_000;

/** The owner's tokens, in a file that other processes (`lectern token …`) change while this one is running. */
export class TokenStore {
  readonly #database: Database;
  readonly #find;
  readonly #commits;
  readonly #now: () => number;
  /** Tokens presented since the file last changed, by id. */
  readonly #known = new Map<string, KnownToken>();
  #knownAt: Row[string] | undefined;

  constructor(path: string, now: () => number = Date.now) {
    this.#database = openDatabase(path);
    this.#now = now;
    this.#database.exec(SCHEMA);
    this.#find = this.#database.prepare('SELECT * FROM token WHERE id = ?');
    this.#commits = this.#database.prepare('PRAGMA data_version');
  }

  /**
   * @returns the token itself, the only time it is available
   * @throws LecternError `exists` when a valid token has this name, `invalid_input` for an unusable one
   */
  create({ name, grant, expires, made = newToken() }: TokenRequest): { token: string; record: TokenRecord } {
    const clean = name.trim();
    if (clean === '' || clean.length > MAX_NAME || /\p{Cc}/u.test(clean)) {
      throw new LecternError('invalid_input', `A token's name has 1 to ${MAX_NAME} printable characters.`, {
        next: 'Name it after the client that will use it, e.g. --name "Laptop".',
      });
    }
    const { id, token, hash } = made;
    const created = this.#now();
    transaction(this.#database, () => {
      if (this.list().some((record) => record.name === clean && this.#works(record))) {
        throw new LecternError('exists', `There is a token named ${JSON.stringify(clean)} already.`, {
          next: 'Choose another name, or revoke that one first.',
        });
      }
      this.#database
        .prepare('INSERT INTO token (id, name, hash, scopes, created, expires) VALUES (?, ?, ?, ?, ?, ?)')
        .run(id, clean, hash, JSON.stringify(scopeWords(grant)), created, expires ?? null);
    });
    return {
      token,
      record: { id, name: clean, grant, created, expires, revoked: undefined, lastUsed: undefined },
    };
  }

  /** Newest first. */
  list(): readonly TokenRecord[] {
    return this.#database.prepare('SELECT * FROM token ORDER BY created DESC, id').all().map(toRecord);
  }

  /** Whether any token is valid now. */
  hasWorking(): boolean {
    return this.list().some((record) => this.#works(record));
  }

  /**
   * @param idOrName of valid tokens
   * @throws LecternError `not_found` when there is none
   */
  revoke(idOrName: string): TokenRecord {
    return transaction(this.#database, () => {
      const found = this.list().find(
        (record) =>
          record.revoked === undefined &&
          (record.id === idOrName || (record.name === idOrName && this.#works(record))),
      );
      if (found === undefined) {
        throw new LecternError(
          'not_found',
          `No working token is ${JSON.stringify(idOrName.slice(0, 100))}.`,
          {
            next: 'See lectern token list for ids and names.',
          },
        );
      }
      const revoked = this.#now();
      this.#database.prepare('UPDATE token SET revoked = ? WHERE id = ?').run(revoked, found.id);
      this.#known.delete(found.id);
      return { ...found, revoked };
    });
  }

  /** Validates a presented credential. */
  verify(token: string): Verdict {
    const given = readToken(token);
    if (given === undefined) return { kind: 'unknown' };
    const known = this.#token(given.id);
    if (known === undefined || !sameHash(known.hash, given.hash)) return { kind: 'unknown' };
    const { record } = known;
    if (record.revoked !== undefined) return { kind: 'revoked' };
    if (this.#isExpired(record)) return { kind: 'expired' };
    this.#used(record);
    return {
      kind: 'good',
      principal: { id: record.id, name: record.name, kind: 'token', grant: record.grant },
    };
  }

  /** Whether the credential behind a principal is still valid. */
  stillWorks(id: string): boolean {
    const known = this.#token(id);
    return known !== undefined && this.#works(known.record);
  }

  close(): void {
    this.#database.close();
  }

  /**
   * The token's record in the file. Checking whether another process has changed the file costs half as much
   * as reading the row again.
   */
  #token(id: string): KnownToken | undefined {
    const { data_version: commits } = this.#commits.get() ?? {};
    if (commits !== this.#knownAt) this.#known.clear();
    this.#knownAt = commits;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const row = this.#find.get(id);
    if (!(row?.hash instanceof Uint8Array)) return undefined;
    const token = { hash: row.hash, record: toRecord(row) };
    this.#known.set(id, token);
    return token;
  }

  #works(record: TokenRecord): boolean {
    return record.revoked === undefined && !this.#isExpired(record);
  }

  #isExpired({ expires }: TokenRecord): boolean {
    return expires !== undefined && expires <= this.#now();
  }

  /** Not written with every request: that would cost more than the information is worth. */
  #used({ id, lastUsed }: TokenRecord): void {
    const now = this.#now();
    if (lastUsed !== undefined && now - lastUsed < USED_STEP_MS) return;
    try {
      this.#database.prepare('UPDATE token SET last_used = ? WHERE id = ?').run(now, id);
      this.#known.delete(id);
    } catch {
      // A full disk must not lock the owner out.
    }
  }
}

function toRecord(row: Row): TokenRecord {
  return {
    id: String(row.id),
    name: String(row.name),
    grant: parseScopes(JSON.parse(String(row.scopes)) as string[]),
    created: Number(row.created),
    expires: optional(row.expires),
    revoked: optional(row.revoked),
    lastUsed: optional(row.last_used),
  };
}

function optional(value: Row[string] | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
