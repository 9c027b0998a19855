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

/** The texts of the settings files, each undefined when absent. */
export interface DailyNotesFiles {
  /** `.obsidian/daily-notes.json` */
  readonly obsidian?: string | undefined;
  /** `logseq/config.edn` */
  readonly logseq?: string | undefined;
}

/**
 * Where the vault's own program keeps daily notes; undefined when it was not told, so that the owner's
 * setting decides. Logseq and SilverBullet have a place for them even when they were not told.
 */
export function dailyNotesOf(dialect: Dialect, files: DailyNotesFiles): DailyNotes | undefined {
  if (dialect === 'logseq') return logseqJournals(files.logseq ?? '');
  if (dialect === 'silverbullet') return { folder: 'Journal', format: 'YYYY-MM-DD' };
  if (files.obsidian === undefined || files.obsidian.trim() === '') return undefined;
  const { folder, format } = readObsidianSettings({ dailyNotes: files.obsidian }).dailyNotes;
  return { folder, format };
}

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
