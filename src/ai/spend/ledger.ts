import { randomUUID } from 'node:crypto';
import { LecternError } from '../../errors.ts';
import { openDatabase, transaction } from '../../sqlite/driver.ts';
import type { PeriodSpend } from '../assistant.ts';
import type { TokenUsage } from '../language-model.ts';

/** Limits of tokens and cost per day and month (UTC); undefined = no limit. */
export interface PeriodLimits {
  readonly dayTokens?: number | undefined;
  readonly monthTokens?: number | undefined;
  readonly dayCost?: number | undefined;
  readonly monthCost?: number | undefined;
}

/** Prices per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

/** A reservation of the most that a request may cost, until its real usage is known. */
export interface Reservation {
  /** Replaces the reservation by the real usage. */
  settle(usage: TokenUsage): void;
  /** Removes the reservation: nothing was spent. */
  release(): void;
}

export interface Ledger {
  /**
   * Reserves the most that a request may cost.
   *
   * @param holdMs how long the request may take, ms; a reservation that its process neither settled nor
   *   released by then counts as spent
   * @throws LecternError `ai_unavailable` with the rest when a limit would be exceeded
   */
  reserve(atMost: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>, holdMs: number): Reservation;
  spent(): readonly PeriodSpend[];
  costOf(usage: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>): number | undefined;
  close(): void;
}

export interface LedgerOptions {
  readonly limits: PeriodLimits;
  readonly prices: Prices;
  readonly now?: () => number;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS spend (
    day TEXT PRIMARY KEY, requests INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
    micros INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS reserved (
    id TEXT PRIMARY KEY, day TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, micros INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** Days that are kept; limits never look back further than a month. */
const KEPT_DAYS = 400;
const DAY_MS = 86_400_000;

/**
 * Opens the SQLite file of what was spent, by day (UTC), which all processes with the same state folder
 * share. Cost is stored in millionths of the currency, at the prices of its time.
 */
export function openLedger(path: string, { limits, prices, now = Date.now }: LedgerOptions): Ledger {
  const database = openDatabase(path);
  // A power cut may lose the last requests; writes do not wait for the disk.
  database.exec('PRAGMA synchronous = NORMAL');
  database.exec(SCHEMA);
  const microsOf = ({ inputTokens, outputTokens }: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>) =>
    Math.round(inputTokens * prices.input + outputTokens * prices.output);
  const hasPrices = prices.input > 0 || prices.output > 0;
  const add = database.prepare(
    `INSERT INTO spend (day, requests, input, output, micros) VALUES (?, 1, ?, ?, ?)
     ON CONFLICT (day) DO UPDATE SET requests = requests + 1, input = input + excluded.input,
       output = output + excluded.output, micros = micros + excluded.micros`,
  );
  const drop = database.prepare('DELETE FROM reserved WHERE id = ?');

  function since(period: 'day' | 'month'): string {
    const today = dayOf(now());
    return period === 'day' ? today : `${today.slice(0, 7)}-01`;
  }

  /** Spend of a period including the open reservations. */
  function totals(period: 'day' | 'month'): { tokens: number; cost: number } {
    const from = since(period);
    const row = database
      .prepare(
        `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(micros), 0) AS micros FROM (
           SELECT input + output AS tokens, micros FROM spend WHERE day >= ?
           UNION ALL SELECT input + output, micros FROM reserved WHERE day >= ?)`,
      )
      .get(from, from);
    return { tokens: Number(row?.tokens), cost: Number(row?.micros) / 1e6 };
  }

  function settleAbandoned(): void {
    for (const row of database.prepare('SELECT * FROM reserved WHERE until < ?').all(now())) {
      add.run(String(row.day), Number(row.input), Number(row.output), Number(row.micros));
      drop.run(String(row.id));
    }
    database.prepare('DELETE FROM spend WHERE day < ?').run(dayOf(now() - KEPT_DAYS * DAY_MS));
  }

  function assertWithin(tokens: number, cost: number): void {
    for (const period of ['day', 'month'] as const) {
      const spent = totals(period);
      const tokenLimit = period === 'day' ? limits.dayTokens : limits.monthTokens;
      const costLimit = period === 'day' ? limits.dayCost : limits.monthCost;
      if (tokenLimit !== undefined && spent.tokens + tokens > tokenLimit)
        throw overspent(period, 'tokens', Math.max(0, tokenLimit - spent.tokens), tokens);
      if (costLimit !== undefined && spent.cost + cost > costLimit)
        throw overspent(period, 'cost', Math.max(0, costLimit - spent.cost), cost);
    }
  }

  return {
    reserve(atMost, holdMs) {
      const { inputTokens: input, outputTokens: output } = atMost;
      const micros = microsOf(atMost);
      const id = randomUUID();
      const day = dayOf(now());
      transaction(database, () => {
        settleAbandoned();
        assertWithin(input + output, micros / 1e6);
        database
          .prepare('INSERT INTO reserved (id, day, input, output, micros, until) VALUES (?, ?, ?, ?, ?, ?)')
          .run(id, day, input, output, micros, now() + holdMs);
      });
      return {
        settle: (usage) =>
          transaction(database, () => {
            if (drop.run(id).changes === 0) return;
            add.run(day, usage.inputTokens, usage.outputTokens, microsOf(usage));
          }),
        release: () => void drop.run(id),
      };
    },
    spent: () =>
      (['day', 'month'] as const).map((period) => {
        const from = since(period);
        const row = database
          .prepare(
            `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(input), 0) AS input,
               coalesce(sum(output), 0) AS output, coalesce(sum(micros), 0) AS micros FROM spend WHERE day >= ?`,
          )
          .get(from);
        const limitTokens = period === 'day' ? limits.dayTokens : limits.monthTokens;
        const limitCost = period === 'day' ? limits.dayCost : limits.monthCost;
        return {
          period,
          since: Date.parse(from),
          requests: Number(row?.requests),
          usage: { inputTokens: Number(row?.input), outputTokens: Number(row?.output), isEstimated: false },
          ...(hasPrices && { cost: Number(row?.micros) / 1e6 }),
          ...(limitTokens !== undefined && { limitTokens }),
          ...(limitCost !== undefined && { limitCost }),
        };
      }),
    costOf: (usage) => (hasPrices ? microsOf(usage) / 1e6 : undefined),
    close: () => database.close(),
  };
}

/** The UTC date, as `2026-11-29`. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function overspent(
  period: 'day' | 'month',
  unit: 'tokens' | 'cost',
  left: number,
  wanted: number,
): LecternError {
  const shown = (value: number) =>
    unit === 'tokens' ? `${value} tokens` : value.toFixed(4).replace(/0{1,2}$/, '');
  return new LecternError(
    'ai_unavailable',
    `The budget of this ${period} has ${shown(left)} left, and the request may take ${shown(wanted)}.`,
    {
      details: { period, unit, left, wanted },
      next: `Ask for less (a smaller max_tokens, fewer notes), or wait for the next ${period} (UTC). The owner may allow more.`,
    },
  );
}
