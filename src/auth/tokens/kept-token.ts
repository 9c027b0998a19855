import { type Database, openDatabase } from '../../sqlite/driver.ts';
import type { Grant } from '../grant.ts';
import { hexToken } from './secret.ts';
import { type TokenRecord, TokenStore } from './token-store.ts';

const SCHEMA = 'CREATE TABLE IF NOT EXISTS kept_token (name TEXT PRIMARY KEY, token TEXT NOT NULL) STRICT';

export interface KeptTokenState {
  /** Whether it is accepted. */
  readonly enabled: boolean;
  /** Undefined when none was ever created. */
  readonly record: TokenRecord | undefined;
}

/**
 * The single token of a system that must display it again: 64 hexadecimal digits, stored in full in the token
 * file. It can be enabled and disabled; a new one replaces the old, which is invalid from that moment.
 */
export class KeptToken {
  readonly #database: Database;
  readonly #tokens: TokenStore;
  readonly #name: string;

  /** @param path of the token file */
  constructor(path: string, name: string, now: () => number = Date.now) {
    this.#tokens = new TokenStore(path, now);
    this.#database = openDatabase(path);
    this.#database.exec(SCHEMA);
    this.#name = name;
  }

  state(): KeptTokenState {
    const token = this.show();
    const record = token === undefined ? undefined : this.#record(token);
    return { enabled: record !== undefined && record.revoked === undefined, record };
  }

  /** The token, enabled or not; undefined when there is none. */
  show(): string | undefined {
    const row = this.#database.prepare('SELECT token FROM kept_token WHERE name = ?').get(this.#name);
    return row === undefined ? undefined : String(row.token);
  }

  /**
   * Enables the token, and creates it the first time.
   *
   * @param given a token that clients have already, 64 hexadecimal digits
   */
  enable(grant: Grant, given?: string): string {
    const kept = this.show();
    const wanted = given ?? kept;
    if (wanted !== undefined && wanted === kept && this.state().enabled) return wanted;
    return this.#replace(grant, wanted);
  }

  /** @returns whether it was enabled before */
  disable(): boolean {
    const { enabled, record } = this.state();
    if (enabled && record !== undefined) this.#tokens.revoke(record.id);
    return enabled;
  }

  regenerate(grant: Grant): string {
    return this.#replace(grant, undefined);
  }

  close(): void {
    this.#database.close();
    this.#tokens.close();
  }

  /** The token is deleted before its record: a later `enable` cannot revive it, even if this is interrupted. */
  #replace(grant: Grant, token: string | undefined): string {
    const made = hexToken(token);
    this.#database.prepare('DELETE FROM kept_token WHERE name = ?').run(this.#name);
    for (const { id, name, revoked } of this.#tokens.list())
      if (name === this.#name && revoked === undefined) this.#tokens.revoke(id);
    this.#database.prepare('DELETE FROM token WHERE id = ?').run(made.id);
    this.#tokens.create({ name: this.#name, grant, expires: undefined, made });
    this.#database.prepare('INSERT INTO kept_token (name, token) VALUES (?, ?)').run(this.#name, made.token);
    return made.token;
  }

  #record(token: string): TokenRecord | undefined {
    const { id } = hexToken(token);
    return this.#tokens.list().find((record) => record.id === id);
  }
}
