import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logseqFileNames, logseqPageName } from './logseq-page.ts';

describe('Logseq page names', () => {
  it.each([
    ['pages/a___b.md', 'a/b'],
    ['pages/What is indentation and why does it matter%3F.md', 'What is indentation and why does it matter?'],
    ['pages/old%2Fname.md', 'old/name'],
    ['pages/100% sure.md', '100% sure'],
    ['pages/%E0%A4%A.md', '%E0%A4%A'],
    ['pages/Global config.edn.md', 'Global config.edn'],
    ['journals/2024_01_02.md', 'Jan 2nd, 2024'],
    ['journals/2024-11-13.md', 'Nov 13th, 2024'],
    ['journals/2024_12_31.md', 'Dec 31st, 2024'],
    ['journals/2024_13_01.md', '2024_13_01'],
    ['pages/2024_01_02.md', '2024_01_02'],
  ])('%s is the page %s', (path, name) => {
    expect(logseqPageName(path)).toBe(name);
  });

  it('lead back to the file', () => {
    const name = fc
      .string({ unit: fc.constantFrom(...'ab/?:%#*"<>|\\ é中.') })
      .filter((one) => one !== '' && !/___/.test(one));
    fc.assert(
      fc.property(name, (page) => {
        expect(logseqPageName(`pages/${logseqFileNames(page)[0]}.md`)).toBe(page);
      }),
    );
  });

  it('of journals lead to the date', () => {
    for (let day = 1; day <= 31; day += 1) {
      const date = `2024_05_${String(day).padStart(2, '0')}`;
      expect(logseqFileNames(logseqPageName(`journals/${date}.md`))).toContain(date);
    }
  });
});
