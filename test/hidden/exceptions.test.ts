import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXCEPTIONS } from './exceptions.ts';

it('the guide names every exception, and no other', () => {
  const guide = readFileSync(new URL('../../docs/guides/configuration.md', import.meta.url), 'utf8');
  const [, section = ''] = guide.split('\n## What path rules hide\n');
  const named = [...(section.split('\n## ')[0] ?? '').matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(
    ([, name]) => name,
  );
  expect(named).toEqual(EXCEPTIONS);
});
