import type { AdapterPayload } from 'oidc-provider';
import type { Database } from '../../sqlite/driver.ts';

const ROTATIONS = "coalesce(json_extract(payload, '$.rotations'), 0)";
const CONSUMED = "json_extract(payload, '$.consumed')";

/**
 * Refresh tokens are used once (OAuth 2.1 §4.3.1). A used one that is shown again was stolen by one of
 * the two who have it, and the authorization server ends the grant, with one exception: a client that lost the
 * answer (the phone went into a tunnel) may ask again within a short time.
 *
 * That leaves two successors, of which the client knows one. They count as one generation: when one of
 * them is used, all are, so that whoever caught the lost answer is found out like any other thief.
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

  /** Marks a token and its whole generation as used, as of the first time that one of them was. */
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

  /** The record as the provider should see it: one that may be shown again looks unused. */
  seen(payload: AdapterPayload): AdapterPayload {
    const { consumed, ...rest } = payload;
    return typeof consumed === 'number' && this.#isRetry(consumed, payload) ? rest : payload;
  }

  /** Until the time is over, or a successor was used: then the answer had arrived. */
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
