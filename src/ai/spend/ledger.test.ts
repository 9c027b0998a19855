import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts';

let folder: string;
const opened: Ledger[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-ledger-'));
});
afterEach(() => {
  for (const ledger of opened.splice(0)) ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<LedgerOptions> = {}): Ledger {
  const ledger = openLedger(join(folder, 'spend.db'), {
    limits: {},
    prices: { input: 0, output: 0 },
    ...options,
  });
  opened.push(ledger);
  return ledger;
}

const tokens = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  isEstimated: false,
});
const HOLD_MS = 60_000;

describe('what may be spent', () => {
  it('is put aside before a request and corrected after it', () => {
    const ledger = open({ limits: { dayTokens: 1000 } });
    const first = ledger.reserve(tokens(300, 500), HOLD_MS);
    expect(() => ledger.reserve(tokens(200, 100), HOLD_MS)).toThrow(
      expect.objectContaining({
        code: 'ai_unavailable',
        details: { period: 'day', unit: 'tokens', left: 200, wanted: 300 },
      }),
    );
    first.settle(tokens(310, 20));
    const second = ledger.reserve(tokens(200, 100), HOLD_MS);
    second.release();
    expect(ledger.spent()[0]).toMatchObject({
      requests: 1,
      usage: { inputTokens: 310, outputTokens: 20 },
      limitTokens: 1000,
    });
    // A settled reservation cannot be settled or released again.
    first.settle(tokens(310, 20));
    first.release();
    expect(ledger.spent()[0]?.requests).toBe(1);
  });

  it('is counted in money by the prices, a millionth exactly', () => {
    const ledger = open({ prices: { input: 0.15, output: 0.6 }, limits: { monthCost: 0.001 } });
    ledger.reserve(tokens(0, 0), HOLD_MS).settle(tokens(1000, 1000));
    expect(ledger.spent()[1]).toMatchObject({ period: 'month', cost: 0.00075, limitCost: 0.001 });
    expect(ledger.costOf(tokens(1_000_000, 0))).toBe(0.15);
    expect(() => ledger.reserve(tokens(1000, 1000), HOLD_MS)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ period: 'month', unit: 'cost' }) }),
    );
  });

  it('begins anew with the day and the month of UTC', () => {
    let now = Date.parse('2026-11-30T23:59:00Z');
    const ledger = open({ limits: { dayTokens: 100, monthTokens: 150 }, now: () => now });
    ledger.reserve(tokens(50, 50), HOLD_MS).settle(tokens(50, 50));
    expect(() => ledger.reserve(tokens(1, 0), HOLD_MS)).toThrow('of this day');
    now = Date.parse('2026-12-01T00:00:01Z');
    ledger.reserve(tokens(50, 50), HOLD_MS).settle(tokens(50, 50));
    now = Date.parse('2026-12-02T12:00:00Z');
    expect(() => ledger.reserve(tokens(50, 1), HOLD_MS)).toThrow('of this month has 50 tokens left');
    expect(ledger.spent().map(({ since }) => new Date(since).toISOString().slice(0, 10))).toEqual([
      '2026-12-02',
      '2026-12-01',
    ]);
  });

  it('is never passed by more than what is in flight, whichever processes ask', async () => {
    const limit = 10_000;
    const ledgers = [open({ limits: { dayTokens: limit } }), open({ limits: { dayTokens: limit } })];
    let inFlight = 0;
    let most = 0;
    const calls = Array.from({ length: 100 }, async (_, at) => {
      const ledger = ledgers[at % 2] as Ledger;
      const reserved = ledger.reserve(tokens(100, 200), HOLD_MS);
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      // The provider counts slightly more than was estimated.
      reserved.settle(tokens(110, 200));
    });
    const done = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled').length;
    const { usage } = ledgers[0]?.spent()[0] ?? { usage: tokens(0, 0) };
    const total = usage.inputTokens + usage.outputTokens;
    expect(done).toBe(Math.floor(limit / 300));
    expect(total).toBe(done * 310);
    expect(total - limit).toBeLessThanOrEqual(most * 310);
  });

  it('holds what a process that is gone had put aside, and counts it in the end', () => {
    let now = Date.parse('2026-11-30T10:00:00Z');
    const gone = open({ limits: { dayTokens: 1000 }, now: () => now });
    gone.reserve(tokens(400, 400), HOLD_MS);
    const other = open({ limits: { dayTokens: 1000 }, now: () => now });
    expect(() => other.reserve(tokens(200, 100), HOLD_MS)).toThrow('200 tokens left');
    now += HOLD_MS + 1;
    other.reserve(tokens(100, 50), HOLD_MS).release();
    expect(other.spent()[0]).toMatchObject({ requests: 1, usage: { inputTokens: 400, outputTokens: 400 } });
  });
});
