import type { PlannedStep } from '../../journal/journal.ts';
import { etagOf } from '../../notes/etag.ts';
import { encodeText } from '../../notes/text.ts';
import type { NoteFacts } from '../../stores/store.ts';

/**
 * The step that puts a new text in the place of the bytes a note has now.
 * @param facts what the store keeps of the note beside them, which stays
 */
export function replaceStep(path: string, before: Uint8Array, text: string, facts?: NoteFacts): PlannedStep {
  const after = encodeText(text);
  return {
    action: 'replace',
    path,
    beforeEtag: etagOf(before, facts),
    afterEtag: etagOf(after, facts),
    before,
    after,
  };
}
