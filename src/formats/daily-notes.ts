import type { Dialect } from '../notes/model.ts';
import { formatDay, fromLogseqFormat } from './date-format.ts';
import { readObsidianSettings } from './obsidian-settings.ts';
import type { TemplateFormats } from './template.ts';

/** Folder, name format and template of a vault's daily notes. */
export interface DailyNotes {
  /** Vault-relative; `''` = the vault root. */
  readonly folder: string;
  /** File name without `.md` as a Moment.js format; a slash separates folders. */
  readonly format: string;
  /** Template of a new daily note; its path may lack `.md`. */
  readonly template?: TemplateFormats & { readonly path: string };
}

/**
 * Vault-relative settings files that {@link dailyNotesOf} reads, by dialect; empty for a program without one.
 */
export const DAILY_NOTES_FILES: Readonly<Record<Dialect, readonly string[]>> = {
  obsidian: ['.obsidian/daily-notes.json', '.obsidian/templates.json'],
  silverbullet: [],
  logseq: ['logseq/config.edn'],
};

/**
 * Reads where the vault's own program keeps daily notes. Logseq and SilverBullet have a default place.
 *
 * @param settings texts of {@link DAILY_NOTES_FILES}, in that order; undefined for an absent file
 * @returns undefined when Obsidian has no settings for daily notes: the owner's setting applies
 */
export function dailyNotesOf(
  dialect: Dialect,
  ...settings: readonly (string | undefined)[]
): DailyNotes | undefined {
  return DAILY_NOTES[dialect](...settings);
}

type Reader = (...settings: readonly (string | undefined)[]) => DailyNotes | undefined;

const DAILY_NOTES: Readonly<Record<Dialect, Reader>> = {
  obsidian(dailyNotes = '', templates?) {
    if (dailyNotes.trim() === '') return undefined;
    const read = readObsidianSettings({ dailyNotes, templates });
    const { folder, format, template: path } = read.dailyNotes;
    const { dateFormat, timeFormat } = read.templates;
    return { folder, format, ...(path !== '' && { template: { path, dateFormat, timeFormat } }) };
  },
  silverbullet: () => ({ folder: 'Journal', format: 'YYYY-MM-DD' }),
  logseq: (settings = '') => logseqJournals(settings),
};

/**
 * The vault-relative path of a day's note, with `.md`.
 *
 * @param day its date in this machine's time zone is used
 */
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

/**
 * Reads the string values of an EDN file by keyword, at any nesting; comments are skipped. An unterminated
 * string extends to the end of the file.
 */
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
