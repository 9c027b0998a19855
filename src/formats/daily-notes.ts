import type { Dialect } from '../notes/model.ts';
import { formatDay, fromLogseqFormat } from './date-format.ts';
import { readObsidianSettings } from './obsidian-settings.ts';

/** Where daily notes are and what they are called. */
export interface DailyNotes {
  /** `''` = the top of the vault. */
  readonly folder: string;
  /** In the notation of Moment.js; slashes make folders. */
  readonly format: string;
}

/** The settings file that tells where daily notes are; undefined for programs that have none. */
export const DAILY_NOTES_FILE: Readonly<Record<Dialect, string | undefined>> = {
  obsidian: '.obsidian/daily-notes.json',
  silverbullet: undefined,
  logseq: 'logseq/config.edn',
};

/**
 * Where the vault's own program keeps daily notes; undefined when it was not told, so that the owner's
 * setting decides. Logseq and SilverBullet have a place for them even when they were not told.
 *
 * @param settings text of {@link DAILY_NOTES_FILE}; undefined when absent
 */
export function dailyNotesOf(dialect: Dialect, settings: string | undefined): DailyNotes | undefined {
  return DAILY_NOTES[dialect](settings);
}

const DAILY_NOTES: Readonly<Record<Dialect, (settings: string | undefined) => DailyNotes | undefined>> = {
  obsidian(settings = '') {
    if (settings.trim() === '') return undefined;
    const { folder, format } = readObsidianSettings({ dailyNotes: settings }).dailyNotes;
    return { folder, format };
  },
  silverbullet: () => ({ folder: 'Journal', format: 'YYYY-MM-DD' }),
  logseq: (settings = '') => logseqJournals(settings),
};

/** Vault-relative path of a day's note. */
export function dailyNotePath({ folder, format }: DailyNotes, day: Date): string {
  const name = formatDay(format, day).replaceAll('\\', '/').replace(/^\/+/, '');
  return `${folder === '' ? '' : `${folder}/`}${name}.md`;
}

function logseqJournals(config: string): DailyNotes {
  const said = ednTexts(config);
  return {
    folder: said.get(':journals-directory')?.replace(/^\/+|\/+$/g, '') || 'journals',
    format: fromLogseqFormat(said.get(':journal/file-name-format') || 'yyyy_MM_dd'),
  };
}

/** Keywords followed by a text, wherever they stand; comments are left out. A text without an end goes to the end. */
function ednTexts(source: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let keyword: string | undefined;
  for (const [token] of source.matchAll(/"(?:[^"\\]|\\.)*"?|;[^\n]*|#_|[()[\]{}]|[^\s"();[\]{},]+/gs)) {
    if (token.startsWith(';')) continue;
    if (keyword !== undefined && token.startsWith('"')) texts.set(keyword, token.slice(1, -1));
    keyword = token.startsWith(':') ? token : undefined;
  }
  return texts;
}
