import type { DailyNotes } from '../formats/daily-notes.ts';
import type { TemplateFormats } from '../formats/template.ts';
import type { Dialect } from '../notes/model.ts';

/** What the vault's own program was told, as far as Lectern honours it. Read once when the vault opens. */
export interface VaultSettings {
  readonly dialect: Dialect;
  /** Excluded files: not searched, listed, counted or tagged; links to them still resolve. */
  isExcluded(path: string): boolean;
  /** False when nothing is excluded, so that queries need not ask. */
  readonly hasExclusions: boolean;
  /** Undefined when the program was not told where daily notes are. */
  readonly dailyNotes: DailyNotes | undefined;
  /** Folder of the templates, `''` when the program was not told, and how they write dates. */
  readonly templates: TemplateFormats & { readonly folder: string };
  /** Folder of new notes that are given none, `''` = the top of the vault. */
  readonly newNoteFolder: string;
  /** Where deleted files go: the vault's `.trash`, the desktop's trash, or nowhere. */
  readonly trash: 'local' | 'system' | 'none';
  readonly newLinkFormat: 'shortest' | 'relative' | 'absolute';
  /** The program itself writes Markdown links, in the format above. */
  readonly usesMarkdownLinks: boolean;
}

/** Where the owner keeps notes of a kind, as far as the vault's own program was not told. */
export interface PlaceRules {
  /** Folder whose notes are prompts. */
  readonly prompts: string;
  readonly dailyNotes: DailyNotes;
}

export const DEFAULT_PLACES: PlaceRules = {
  prompts: 'Prompts',
  dailyNotes: { folder: 'Daily', format: 'YYYY-MM-DD' },
};
