import { DAILY_NOTES_FILES, dailyNotesOf } from '../formats/daily-notes.ts';
import { detectDialect } from '../formats/dialect.ts';
import { ignoreFilterMatcher, readObsidianSettings } from '../formats/obsidian-settings.ts';
import { decodeText } from '../notes/text.ts';
import type { Store } from '../stores/store.ts';
import type { VaultSettings } from './settings.ts';

/**
 * Reads the settings of the vault's own program (Obsidian and others). A setting that cannot be read counts
 * as absent.
 */
export async function loadSettings(store: Store, warn: (message: string) => void): Promise<VaultSettings> {
  const dialect = detectDialect(await store.topNames());
  const app = await settingText(store, '.obsidian/app.json', warn);
  const dailyNotes = await Promise.all(
    DAILY_NOTES_FILES[dialect].map((path) => settingText(store, path, warn)),
  );
  const templates = await settingText(store, '.obsidian/templates.json', warn);
  const obsidian = readObsidianSettings({ app, templates });
  const excluded = ignoreFilterMatcher(obsidian.ignoreFilters);
  for (const message of [...obsidian.warnings, ...excluded.warnings]) warn(message);
  return {
    dialect,
    dailyNotes: dailyNotesOf(dialect, ...dailyNotes),
    templates: obsidian.templates,
    newNoteFolder: obsidian.newNotes.location === 'folder' ? obsidian.newNotes.folder : '',
    isExcluded: excluded.test,
    hasExclusions: obsidian.ignoreFilters.length > 0,
    trash: obsidian.trash ?? 'local',
    newLinkFormat: obsidian.links.format,
    usesMarkdownLinks: obsidian.links.markdown,
  };
}

async function settingText(
  store: Store,
  path: string,
  warn: (message: string) => void,
): Promise<string | undefined> {
  try {
    const bytes = await store.readSetting(path);
    const decoded = bytes && decodeText(bytes);
    return decoded?.ok ? decoded.text : undefined;
  } catch (error) {
    warn(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
