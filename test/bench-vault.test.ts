import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { otherLinesChanged } from '../bench/side-by-side/text-judge.ts';
import { figure, quantile } from '../bench/support/numbers.ts';
import { Random } from '../bench/support/random.ts';
import { generateVault, languageOf } from '../bench/vault/generate.ts';
import { keywordQueries } from '../bench/vault/queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function filesOf(vault: string): Map<string, string> {
  const entries = readdirSync(vault, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const time = statSync(file).mtimeMs;
      return [file.slice(vault.length + 1), `${time} ${readFileSync(file, 'utf8')}`] as const;
    }),
  );
}

describe('the vault that is benchmarked', () => {
  const facts = generateVault(join(folder, 'a'), 250, 7);
  const files = filesOf(join(folder, 'a'));
  const notes = [...files].filter(([path]) => path.endsWith('.md'));

  it('is the same for the same seed, times of the files included, and another for another', () => {
    generateVault(join(folder, 'b'), 250, 7);
    generateVault(join(folder, 'c'), 250, 8);
    expect(filesOf(join(folder, 'b'))).toEqual(files);
    expect([...filesOf(join(folder, 'c')).keys()]).not.toEqual([...files.keys()]);
  });

  it('has as many notes as asked for, with the sizes it reports', () => {
    expect(notes).toHaveLength(250);
    const bytes = notes.map(([path]) => statSync(join(folder, 'a', path)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBe(facts.bytes);
    expect(Math.max(...bytes)).toBe(facts.largestBytes);
    expect(facts.medianBytes).toBeGreaterThan(2000);
    expect(facts.medianBytes).toBeLessThan(3500);
    expect(facts.largestBytes).toBeGreaterThan(5 * facts.medianBytes);
  });

  it('has links that find their notes, but for those marked as still to be written', () => {
    const names = new Set(
      [...files.keys()].flatMap((path) => [
        path,
        posix.basename(path),
        path.replace(/\.md$/, ''),
        posix.basename(path, '.md'),
      ]),
    );
    let [found, missing] = [0, 0];
    for (const [, text] of notes) {
      for (const [, target = ''] of text.matchAll(/\[\[([^\]|#]+)/g)) {
        if (target === 'Draft') continue; // in a block of code
        if (target.endsWith(' to write')) missing += 1;
        else {
          expect(names).toContain(target);
          found += 1;
        }
      }
    }
    expect(found).toBeGreaterThan(1000);
    expect(missing).toBeGreaterThan(20);
  });

  it('has every kind of thing that notes have', () => {
    const all = notes.map(([, text]) => text).join('\n');
    for (const sign of [
      /^tags: \[/m,
      /^- \[x\]/m,
      /^```js/m,
      /^\| --- /m,
      /!\[\[/,
      /\]\([^)]*\.md\)/,
      /[一-龥]{20}/,
      /#\w+\/\w+\/\w+/,
      /\^[0-9a-f]+$/m,
    ])
      expect(all).toMatch(sign);
  });

  it('is asked for words it contains', () => {
    const all = notes.map(([, text]) => text.toLowerCase()).join('\n');
    const queries = keywordQueries(new Random(9), languageOf(250, 7), 100);
    expect(keywordQueries(new Random(9), languageOf(250, 7), 100)).toEqual(queries);
    const known = queries.filter((query) => query.split(' ').some((word) => all.includes(word)));
    expect(known.length).toBeGreaterThan(95);
  });
});

describe('what benchmarks judge by', () => {
  it('sees each line that an edit of another property changed', () => {
    const before = '---\na: [x,  y]\nb: 1 # why\nc: "q"\n---\ntext\n';
    expect(otherLinesChanged(before, before.replace('b: 1', 'b: 2'), 'b')).toEqual([]);
    expect(otherLinesChanged(before, before.replace('b: 1 # why', 'b: 2'), 'b')).toEqual(['b: 1 # why']);
    expect(otherLinesChanged(before, before.replace('x,  y', 'x, y').replace('"q"', 'q'), 'b')).toEqual([
      'a: [x,  y]',
      'c: "q"',
    ]);
  });

  it('takes quantiles and writes figures', () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([quantile(values, 0.5), quantile(values, 0.95), quantile(values, 1), quantile([], 0.5)]).toEqual([
      51, 96, 100, 0,
    ]);
    expect([0, 0.1234, 1.234, 12.34, 123.4, 1234].map(figure)).toEqual([
      '0',
      '0.123',
      '1.23',
      '12.3',
      '123',
      '1234',
    ]);
  });
});
