import type { AdapterPayload } from 'oidc-provider';
import type { Database } from '../../sqlite/driver.ts';

const ROTATIONS = "coalesce(json_extract(payload, '$.rotations'), 0)";
const CONSUMED = "json_extract(payload, '$.consumed')";

/**
 * Refresh tokens are valid for one use (OAuth 2.1 §4.3.1). When a used one is presented again, one of two
 * holders has stolen it, and the authorization server revokes the grant. There is one exception: a client
 * that lost the response (a dropped connection) may repeat its request within a short time.
 *
 * The repetition creates a second successor, of which the client knows one. Both count as one generation:
 * when one is used, all are marked as used, so that a thief who holds the lost response is detected like any
 * other.
 */
export class RefreshRotation {
  readonly #database: Database;
  readonly #graceMs: number;
  readonly #now: () => number;

  constructor(database: Database, graceMs: number, now: () => number) {
    this.#database = database;
    this.#graceMs = graceMs;
    this.#now = now;
  }

  /** Marks a token and its whole generation as used, with the time of the first use. */
  consume(id: string): void {
    const used = this.#database
      .prepare(
        `SELECT grant_id, ${ROTATIONS} AS rotations FROM record WHERE kind = 'RefreshToken' AND id = ?`,
      )
      .get(id);
    if (used === undefined) return;
    this.#database
      .prepare(
        `UPDATE record SET payload = json_set(payload, '$.consumed', ?)
          WHERE kind = 'RefreshToken' AND grant_id IS ? AND ${ROTATIONS} <= ? AND ${CONSUMED} IS NULL`,
      )
      .run(this.#now() / 1000, used.grant_id ?? null, used.rotations ?? 0);
  }

  /** The record as the provider should see it: a token that may be repeated appears unused. */
  seen(payload: AdapterPayload): AdapterPayload {
    const { consumed, ...rest } = payload;
    return typeof consumed === 'number' && this.#isRetry(consumed, payload) ? rest : payload;
  }

  /** Allowed until the time is over or a successor was used, which proves that the response arrived. */
  #isRetry(consumed: number, { grantId, rotations = 0 }: AdapterPayload): boolean {
    if (this.#now() >= consumed * 1000 + this.#graceMs) return false;
    const wentOn = this.#database
      .prepare(
        `SELECT 1 FROM record WHERE kind = 'RefreshToken' AND grant_id IS ? AND ${ROTATIONS} > ?
           AND ${CONSUMED} IS NOT NULL`,
      )
      .get(String(grantId), Number(rotations));
    return wentOn === undefined;
  }
}
