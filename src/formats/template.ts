import { formatDay, formatWallTime } from './date-format.ts';

/** Formats of `{{date}}` and `{{time}}` in Obsidian's templates when the variable has none of its own. */
export interface TemplateFormats {
  /** A Moment.js format. */
  readonly dateFormat: string;
  readonly timeFormat: string;
}

export interface TemplateValues extends TemplateFormats {
  /** Title of the new note, for `{{title}}`. */
  readonly title: string;
  /** For `{{date}}`: its date in this machine's time zone. */
  readonly day: Date;
  /** For `{{time}}`: its time in this machine's time zone, to the second. */
  readonly now: Date;
}

const VARIABLE = /\{\{[ \t]*(title|date|time)[ \t]*(?::([^{}\r\n]*))?\}\}/gi;

/**
 * Fills in a template's `{{title}}`, `{{date}}`, `{{time}}`, `{{date:FORMAT}}` and `{{time:FORMAT}}`. Other
 * text in braces is unchanged.
 */
export function fillTemplate(
  text: string,
  { title, day, now, dateFormat, timeFormat }: TemplateValues,
): string {
  const wall = new Date(
    Date.UTC(
      now.getFullYear(),
      now.getMonth(),
      now.getDate(),
      now.getHours(),
      now.getMinutes(),
      now.getSeconds(),
    ),
  );
  return text.replace(VARIABLE, (_, name: string, format: string | undefined) => {
    const written = format?.trim() ?? '';
    if (name.toLowerCase() === 'title') return title;
    return name.toLowerCase() === 'date'
      ? formatDay(written || dateFormat, day)
      : formatWallTime(written || timeFormat, wall);
  });
}
