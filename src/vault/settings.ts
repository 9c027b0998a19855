import type { DailyNotes } from '../formats/daily-notes.ts';
import type { TemplateFormats } from '../formats/template.ts';
import type { Dialect } from '../notes/model.ts';

/** Settings of the vault's own program that Lectern applies. Read once when the vault opens. */
export interface VaultSettings {
  readonly dialect: Dialect;
  /** Excluded files: not searched, listed, counted or tagged; links to them still resolve. */
  isExcluded(path: string): boolean;
  /** False when nothing is excluded, so that queries need no filter. */
  readonly hasExclusions: boolean;
  /** Undefined when the program has no setting for daily notes. */
  readonly dailyNotes: DailyNotes | undefined;
  /** Folder of the templates, `''` without a setting, and their date formats. */
  readonly templates: TemplateFormats & { readonly folder: string };
  /** Default folder of new notes, `''` = the top of the vault. */
  readonly newNoteFolder: string;
  /** Where deleted files go: the vault's `.trash`, the desktop's trash, or nowhere. */
  readonly trash: 'local' | 'system' | 'none';
  readonly newLinkFormat: 'shortest' | 'relative' | 'absolute';
  /** The program itself writes Markdown links, in the format above. */
  readonly usesMarkdownLinks: boolean;
}

/** The owner's folders for notes of a kind, used where the vault's own program has no setting. */
export interface PlaceRules {
  /** Folder whose notes are prompts. */
  readonly prompts: string;
  readonly dailyNotes: DailyNotes;
}

export const DEFAULT_PLACES: PlaceRules = {
  prompts: 'Prompts',
  dailyNotes: { folder: 'Daily', format: 'YYYY-MM-DD' },
};
