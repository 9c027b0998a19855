import { applyPatch as applyUnified } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './diff.ts';

describe('unifiedDiff', () => {
  it('shows the changed line with its neighbours and true line numbers', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\n';
    const after = 'a\nb\nc\nD\ne\nf\ng\n';
    expect(unifiedDiff(before, after, { context: 1 })).toEqual({
      text: '@@ -3,3 +3,3 @@\n c\n-d\n+D\n e',
      added: 1,
      removed: 1,
      cut: false,
    });
  });

  it('is empty for equal texts', () => {
    expect(unifiedDiff('same\n', 'same\n')).toEqual({ text: '', added: 0, removed: 0, cut: false });
  });

  it('says when it cut lines, and counts those too', () => {
    const diff = unifiedDiff('', Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join(''), {
      maxLines: 5,
    });
    expect(diff.text.split('\n')).toHaveLength(6);
    expect(diff.text).toMatch(/… 96 more diff lines not shown$/);
    expect(diff).toMatchObject({ added: 100, removed: 0, cut: true });
  });

  it('shortens a long line on a whole character', () => {
    const diff = unifiedDiff('', '😀'.repeat(50), { maxLineLength: 10 });
    expect(diff.cut).toBe(true);
    expect(diff.text).toMatch(/^\+(😀)+…$/mu);
    expect(diff.text).not.toMatch(/\p{Surrogate}/u);
  });

  it('hides carriage returns unless they are the difference', () => {
    expect(unifiedDiff('a\r\nb\r\n', 'a\r\nc\r\n').text).not.toContain('␍');
    expect(unifiedDiff('a\r\nb\r\n', 'a\nb\n').text).toContain('-a␍');
  });

  it('notes a missing final newline', () => {
    expect(unifiedDiff('a', 'a\n').text).toContain('\\ No newline at end of file');
  });

  it('stays quick on texts that have nothing in common', () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('');
    const before = process.cpuUsage();
    const diff = unifiedDiff(lines('old'), lines('new'));
    // Processor time in µs, which other work on the machine does not affect.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
    expect(diff).toMatchObject({ added: 20_000, removed: 20_000, cut: true });
  });

  it('can be applied: an uncut diff turns the old text into the new one', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '# h', '- x'), { maxLength: 20 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, fc.nat(4), (before, after, context) => {
        const diff = unifiedDiff(before, after, { context, maxLines: 1_000 });
        expect(applyUnified(before, `--- a\n+++ b\n${diff.text}\n`)).toBe(after);
      }),
    );
  });
});
