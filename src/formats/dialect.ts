import type { Dialect } from '../notes/model.ts';

/**
 * Detects the dialect of a folder of notes by the names at its top. `.obsidian` takes precedence, as its owner
 * opens the folder in Obsidian; then Logseq's `logseq/` with `pages/` or `journals/`; then SilverBullet's state
 * files, or its configuration page with `_plug` or `index.md`. Any other folder is read by Obsidian's rules,
 * which plain Markdown folders share.
 *
 * @param topPaths names at the top of the folder, dot folders included, with or without a final slash; of a
 *   deeper path the first segment counts
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
