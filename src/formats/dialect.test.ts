import { expect, it } from 'vitest';
import { detectDialect } from './dialect.ts';

it.each([
  [['.obsidian', 'Notes', 'a.md'], 'obsidian'],
  [['.obsidian/', 'logseq/', 'pages/'], 'obsidian'],
  [['logseq/config.edn', 'pages/a.md', 'journals/2024_01_01.md'], 'logseq'],
  [['logseq', 'journals'], 'logseq'],
  [['logseq.md', 'pages'], 'obsidian'],
  [['index.md', 'CONFIG.md', 'Library'], 'silverbullet'],
  [['.silverbullet.auth.json', 'a.md'], 'silverbullet'],
  [['SETTINGS.md', '_plug'], 'silverbullet'],
  [['index.md', 'a.md'], 'obsidian'],
  [['CONFIG.md/x', 'index.md'], 'obsidian'],
  [[], 'obsidian'],
] as const)('%j is %s', (paths, dialect) => {
  expect(detectDialect(paths)).toBe(dialect);
});
