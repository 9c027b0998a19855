import { type Database, openDatabase } from '../../sqlite/driver.ts';
import type { Grant } from '../grant.ts';
import { hexToken } from './secret.ts';
import { type TokenRecord, TokenStore } from './token-store.ts';

const SCHEMA = 'CREATE TABLE IF NOT EXISTS kept_token (name TEXT PRIMARY KEY, token TEXT NOT NULL) STRICT';

export interface KeptTokenState {
  /** It is let in. */
  readonly enabled: boolean;
  /** Undefined when none was ever made. */
  readonly record: TokenRecord | undefined;
}

/**
 * The one token of a system that shows it again: 64 hexadecimal digits, which the file of tokens keeps in full. It can
 * be switched off and on, and a new one takes the place of the old, which is dead from that moment.
 */
export class KeptToken {
  readonly #database: Database;
  readonly #tokens: TokenStore;
  readonly #name: string;

  /** @param path of the file of tokens */
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

  /** The token, switched on or off; undefined when there is none. */
  show(): string | undefined {
    const row = this.#database.prepare('SELECT token FROM kept_token WHERE name = ?').get(this.#name);
    return row === undefined ? undefined : String(row.token);
  }

  /**
   * Lets the token in; the first time one is made.
   *
   * @param given one that clients have already, 64 hexadecimal digits
   */
  enable(grant: Grant, given?: string): string {
    const kept = this.show();
    const wanted = given ?? kept;
    if (wanted !== undefined && wanted === kept && this.state().enabled) return wanted;
    return this.#replace(grant, wanted);
  }

  /** @returns whether it was let in until now */
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

  /** What is forgotten first is never let in again by a later `enable`, wherever this is cut off. */
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
