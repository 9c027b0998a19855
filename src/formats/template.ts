import { formatDay, formatWallTime } from './date-format.ts';

/** How Obsidian's templates write a date and a time that come without a format of their own. */
export interface TemplateFormats {
  /** In the notation of Moment.js. */
  readonly dateFormat: string;
  readonly timeFormat: string;
}

export interface TemplateValues extends TemplateFormats {
  /** The new note's name. */
  readonly title: string;
  /** What `{{date}}` is. */
  readonly day: Date;
  /** What `{{time}}` is, on this machine's clock. */
  readonly now: Date;
}

const VARIABLE = /\{\{[ \t]*(title|date|time)[ \t]*(?::([^{}\r\n]*))?\}\}/gi;

/** The text of a template with `{{title}}`, `{{date}}`, `{{time}}`, `{{date:FORMAT}}` filled in; what else stands in braces stays. */
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
