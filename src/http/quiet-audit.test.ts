import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../journal/audit.ts';
import { QuietAudit } from './quiet-audit.ts';

const REFUSED: AuditRecord = { time: '', event: 'refused', outcome: 'refused', code: 'unauthorized' };
const ALLOWED: AuditRecord = { time: '', event: 'consent', outcome: 'ok', code: 'allowed' };

function open() {
  const records: AuditRecord[] = [];
  const clock = { now: 0 };
  const log = { append: (record: AuditRecord) => void records.push(record), flush: async () => {} };
  return { records, clock, audit: new QuietAudit(log, () => clock.now) };
}

describe('QuietAudit', () => {
  it('tells so many refusals a minute, and then how many there were more', () => {
    const { records, clock, audit } = open();
    for (let n = 0; n < 5000; n++) audit.append(REFUSED);
    expect(records).toHaveLength(120);
    clock.now += 60_000;
    audit.append(REFUSED);
    expect(records.slice(120)).toEqual([
      { ...REFUSED, time: '1970-01-01T00:01:00.000Z', code: 'more_like_these', left_out: 4880 },
      REFUSED,
    ]);
  });

  it('tells everything else whatever else there is', () => {
    const { records, audit } = open();
    for (let n = 0; n < 500; n++) audit.append(REFUSED);
    audit.append(ALLOWED);
    expect(records.at(-1)).toEqual(ALLOWED);
  });

  it('says nothing of what was left out when nothing was', async () => {
    const { records, clock, audit } = open();
    audit.append(REFUSED);
    clock.now += 60_000;
    audit.append(REFUSED);
    await audit.flush();
    expect(records).toEqual([REFUSED, REFUSED]);
  });

  it('says what was left out before it ends', async () => {
    const { records, audit } = open();
    for (let n = 0; n < 121; n++) audit.append(REFUSED);
    await audit.flush();
    expect(records.at(-1)).toMatchObject({ left_out: 1 });
  });
});
