import type { Dialect } from '../notes/model.ts';
import { formatDay, fromLogseqFormat } from './date-format.ts';
import { readObsidianSettings } from './obsidian-settings.ts';
import type { TemplateFormats } from './template.ts';

/** Where daily notes are and what they are called. */
export interface DailyNotes {
  /** `''` = the top of the vault. */
  readonly folder: string;
  /** In the notation of Moment.js; slashes make folders. */
  readonly format: string;
  /** What a new one starts from; the path may be written without `.md`. */
  readonly template?: TemplateFormats & { readonly path: string };
}

/** The settings files that tell where daily notes are and how templates write dates; none for programs without. */
export const DAILY_NOTES_FILES: Readonly<Record<Dialect, readonly string[]>> = {
  obsidian: ['.obsidian/daily-notes.json', '.obsidian/templates.json'],
  silverbullet: [],
  logseq: ['logseq/config.edn'],
};

/**
 * Where the vault's own program keeps daily notes; undefined when it was not told, so that the owner's
 * setting decides. Logseq and SilverBullet have a place for them even when they were not told.
 *
 * @param settings texts of {@link DAILY_NOTES_FILES}; undefined for one that is absent
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
