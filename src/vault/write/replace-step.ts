import type { PlannedStep } from '../../journal/journal.ts';
import { etagOf } from '../../notes/etag.ts';
import { encodeText } from '../../notes/text.ts';
import type { NoteFacts } from '../../stores/store.ts';

/**
 * The step that replaces a note's current bytes.
 * @param facts the facts kept beside the bytes, which do not change
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
