import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** docs/security.md names a test for every attack: each has to be there under that name. */

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

function namedTests(): { attack: string; file: string; title: string }[] {
  const named: { attack: string; file: string; title: string }[] = [];
  let file = '';
  for (const line of read('docs/security.md').split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, attack = '', , test = ''] = cells;
    if (cells.length !== 5 || test === 'test' || /^-+$/.test(test)) continue;
    for (const part of test.split(';')) {
      const [, path, same, titles = ''] =
        /^\s*(?:`([^`]+)`|(the same))[^:`]*(?::\s*(.+))?$/.exec(part.replace(/,\s*`[^`]+`/g, '')) ?? [];
      expect(path ?? same, `${attack}: ${part}`).toBeDefined();
      file = path ?? file;
      for (const title of titles.split(',')) {
        named.push({ attack, file, title: title.replace('…', '').trim() });
      }
    }
  }
  return named;
}

it('every attack on the page has its test', () => {
  const named = namedTests();
  expect(new Set(named.map(({ attack }) => attack)).size).toBeGreaterThan(25);
  for (const { attack, file, title } of named) {
    expect(read(file).includes(title), `${attack}: ${file}: ${title}`).toBe(true);
  }
});
