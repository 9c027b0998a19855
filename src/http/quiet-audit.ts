import type { AuditLog, AuditRecord } from '../journal/audit.ts';

const WINDOW_MS = 60_000;
const PER_WINDOW = 120;

/**
 * The audit log for refusals at the door: a limited number of lines per minute, then only their count. A
 * caller without access must not be able to push others' entries out of the rotating log.
 */
export class QuietAudit implements AuditLog {
  readonly #log: AuditLog;
  readonly #now: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #recorded = 0;
  #leftOut = 0;

  /** @param now milliseconds since the epoch */
  constructor(log: AuditLog, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  append(record: AuditRecord): void {
    if (this.#now() >= this.#since + WINDOW_MS) this.#begin();
    if (record.outcome !== 'refused' || this.#recorded < PER_WINDOW) {
      if (record.outcome === 'refused') this.#recorded++;
      this.#log.append(record);
    } else {
      this.#leftOut++;
    }
  }

  async flush(): Promise<void> {
    this.#begin();
    await this.#log.flush();
  }

  #begin(): void {
    if (this.#leftOut > 0) {
      this.#log.append({
        time: new Date(this.#now()).toISOString(),
        event: 'refused',
        outcome: 'refused',
        code: 'more_like_these',
        left_out: this.#leftOut,
      });
    }
    this.#since = this.#now();
    this.#recorded = 0;
    this.#leftOut = 0;
  }
}
