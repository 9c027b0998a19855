import type { Dialect } from '../notes/model.ts';

/**
 * Which program's rules a folder of notes follows, by what lies at its top: `.obsidian` wins (its owner
 * opens the folder there), then Logseq's `logseq/` beside `pages/` or `journals/`, then SilverBullet's
 * state files or its configuration page beside `index.md`. Anything else is read by Obsidian's rules, the common ground of Markdown folders.
 *
 * @param topPaths names at the top of the folder, dot folders included, with or without a final slash;
 *   deeper paths count by their first segment
 */
export function detectDialect(topPaths: Iterable<string>): Dialect {
  const names = new Set<string>();
  const pages = new Set<string>();
  for (const path of topPaths) {
    const [name = '', ...rest] = path.replace(/\/$/, '').split('/');
    names.add(name.toLowerCase());
    if (rest.length === 0) pages.add(name);
  }
  if (names.has('.obsidian')) return 'obsidian';
  if (names.has('logseq') && (names.has('pages') || names.has('journals'))) return 'logseq';
  const stateFiles = [...names].some((name) => name.startsWith('.silverbullet'));
  const pluginFolder = names.has('_plug');
  const configPage = pages.has('CONFIG.md') || pages.has('SETTINGS.md');
  if (stateFiles || (configPage && (pluginFolder || pages.has('index.md')))) return 'silverbullet';
  return 'obsidian';
}
