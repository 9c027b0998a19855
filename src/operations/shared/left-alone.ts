import * as z from 'zod';
import type { LeftAloneList } from '../../vault/left-alone.ts';
import { counted, lines } from './rendering.ts';

const SHOWN = 20;

/** The places a rename leaves unchanged, in the answers of operations that rename. */

export const leftAloneOutput = {
  /** Places outside links and tags that contain the old name; change them with note_patch if needed. */
  left_alone: z.array(
    z.object({
      path: z.string(),
      line: z.number().int(),
      /** `code`, `comment`, `query`, `properties`, `text`. */
      kind: z.string(),
    }),
  ),
  left_alone_total: z.number().int(),
  /** Notes that cannot be read and may contain the old name too. */
  unreadable: z.array(z.string()).optional(),
};

export const leftAloneObject = z.object(leftAloneOutput);
type LeftAloneOutput = z.output<typeof leftAloneObject>;

export function toLeftAlone({ items, unreadable }: LeftAloneList): LeftAloneOutput {
  return {
    left_alone: items.slice(0, SHOWN).map(({ path, line, kind }) => ({ path, line, kind })),
    left_alone_total: items.length,
    ...(unreadable.length > 0 && { unreadable: unreadable.slice(0, SHOWN) }),
  };
}

/** Facts the rows do not show. */
export function leftAloneNotices({ isPartial, unreadable }: LeftAloneList): string[] {
  return [
    ...(isPartial ? ['more notes say the name than were looked through for mentions that are no links'] : []),
    ...unreadableNotices(unreadable),
  ];
}

export function unreadableNotices(unreadable: readonly string[]): string[] {
  if (unreadable.length === 0) return [];
  const shown = unreadable.slice(0, 3).join(', ');
  const more = unreadable.length > 3 ? ` and ${unreadable.length - 3} more` : '';
  const subject = unreadable.length === 1 ? 'a note that cannot be read' : 'notes that cannot be read';
  return [`${subject} may link there: ${shown}${more}`];
}

export function leftAloneText({ left_alone_total: total }: LeftAloneOutput): string {
  return total === 0 ? '' : `; ${counted(total, 'mention')} left alone`;
}

export function leftAloneLines({ left_alone: left = [] }: Partial<LeftAloneOutput>): string {
  return lines(left, ({ path, line, kind }) => `left alone: ${path}:${line} (${kind})`);
}
