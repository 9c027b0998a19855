import type { PlannedStep } from '../../journal/journal.ts';
import { etagOf } from '../../notes/etag.ts';
import { encodeText } from '../../notes/text.ts';

/** The step that puts a new text in the place of the bytes a note has now. */
export function replaceStep(path: string, before: Uint8Array, text: string): PlannedStep {
  const after = encodeText(text);
  return {
    action: 'replace',
    path,
    beforeEtag: etagOf(before),
    afterEtag: etagOf(after),
    before,
    after,
  };
}
