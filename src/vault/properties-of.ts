import { propertiesOfFacts } from '../stores/fact-properties.ts';
import type { OpenedNote } from './session.ts';

/** The properties of a note, including those the store keeps beside its text; those in the text take precedence. */
export function propertiesOf({
  facts,
  parsed,
}: Pick<OpenedNote, 'facts' | 'parsed'>): Record<string, unknown> {
  return { ...propertiesOfFacts(facts ?? {}), ...parsed.frontmatter?.data };
}
