import { propertiesOfFacts } from '../stores/fact-properties.ts';
import type { OpenedNote } from './session.ts';

/** The properties of a note, those that the store keeps beside its text included; the text's own win. */
export function propertiesOf({
  facts,
  parsed,
}: Pick<OpenedNote, 'facts' | 'parsed'>): Record<string, unknown> {
  return { ...propertiesOfFacts(facts ?? {}), ...parsed.frontmatter?.data };
}
