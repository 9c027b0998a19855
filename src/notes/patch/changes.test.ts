import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applySplices } from '../splice.ts';
import { ChangeLog, effective } from './changes.ts';

const asSplices = (changes: ChangeLog['changes']) =>
  changes.map(({ start, end, inserted }) => ({ start, end, insert: inserted }));

describe('ChangeLog', () => {
  it('keeps separate places apart', () => {
    const log = new ChangeLog('one two three');
    log.record([{ start: 0, end: 3, insert: '1' }], 'replace_text', 0);
    log.record([{ start: 6, end: 11, insert: '3' }], 'replace_text', 1);
    expect(log.current).toBe('1 two 3');
    expect(log.changes).toEqual([
      { op: 'replace_text', ops: [0], start: 0, end: 3, inserted: '1' },
      { op: 'replace_text', ops: [1], start: 8, end: 13, inserted: '3' },
    ]);
  });

  it('merges an edit of what an earlier op inserted', () => {
    const log = new ChangeLog('ab');
    log.record([{ start: 1, end: 1, insert: 'XYZ' }], 'append_body', 0);
    log.record([{ start: 2, end: 3, insert: '' }], 'replace_text', 1);
    expect(log.changes).toEqual([{ op: 'append_body', ops: [0, 1], start: 1, end: 1, inserted: 'XZ' }]);
  });

  it('forgets an edit that was taken back', () => {
    const log = new ChangeLog('ab');
    log.record([{ start: 1, end: 1, insert: 'X' }], 'append_body', 0);
    log.record([{ start: 1, end: 2, insert: '' }], 'replace_text', 1);
    expect(log.current).toBe('ab');
    expect(log.changes).toEqual([]);
  });

  it('maps offsets past edits and refuses those inside one', () => {
    const log = new ChangeLog('0123456789');
    log.record([{ start: 2, end: 4, insert: 'abc' }], 'replace_text', 0);
    log.record([{ start: 0, end: 0, insert: '>>' }], 'prepend_body', 1);
    expect(log.currentOffset(0)).toBe(2);
    expect(log.currentOffset(3)).toBeUndefined();
    expect(log.currentOffset(4)).toBe(7);
    expect(log.currentOffset(10)).toBe(13);
  });

  it('always rebuilds the current text from the original', () => {
    const edit = fc.tuple(fc.nat(60), fc.nat(10), fc.string({ maxLength: 6 }));
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40 }),
        fc.array(fc.array(edit, { maxLength: 4 }), { maxLength: 6 }),
        (original, rounds) => {
          const log = new ChangeLog(original);
          rounds.forEach((edits, index) => {
            const text = log.current;
            let free = 0;
            const splices = edits
              .map(([at, length, inserted]) => ({ start: at % (text.length + 1), length, insert: inserted }))
              .sort((a, b) => a.start - b.start)
              .flatMap(({ start, length, insert: inserted }) => {
                if (start < free) return [];
                free = Math.min(text.length, start + length);
                return [{ start, end: free, insert: inserted }];
              });
            const expected = applySplices(text, effective(text, splices));
            log.record(effective(text, splices), 'replace_text', index);
            expect(log.current).toBe(expected);
          });
          expect(applySplices(original, asSplices(log.changes))).toBe(log.current);
          for (let index = 1; index < log.changes.length; index++) {
            expect(log.changes[index]!.start).toBeGreaterThanOrEqual(log.changes[index - 1]!.end);
          }
          // An offset that still exists is followed by the same rest of its unchanged run.
          for (let offset = 0; offset < original.length; offset++) {
            const now = log.currentOffset(offset);
            if (now !== undefined) expect(log.current[now]).toBe(original[offset]);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
