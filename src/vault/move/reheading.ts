import type { NoteIndexReader } from '../../index/note-index.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { parseNote } from '../../notes/parse.ts';
import type { RenamedHeading } from '../../notes/patch/edit.ts';
import { renamedSubpath } from '../../notes/patch/headings.ts';
import { fileKindOf } from '../../notes/path.ts';
import { quotedLike } from '../../notes/property-quote.ts';
import { resolveLink } from '../../notes/resolve.ts';
import { applySplices, type Splice } from '../../notes/splice.ts';
import { decodeText } from '../../notes/text.ts';
import type { Store } from '../../stores/store.ts';
import type { VaultSettings } from '../settings.ts';
import { replaceStep } from '../write/replace-step.ts';
import type { RelinkedNote } from '../write/types.ts';
import { FileTable } from './file-table.ts';
import { readIfThere } from './plan.ts';

/** The edits in other notes that keep links to renamed headings leading to them. */
export async function planReheading(
  path: string,
  renamed: readonly RenamedHeading[],
  store: Store,
  reader: NoteIndexReader,
  settings: VaultSettings,
): Promise<{ steps: readonly PlannedStep[]; relinked: readonly RelinkedNote[] }> {
  const steps: PlannedStep[] = [];
  const relinked: RelinkedNote[] = [];
  const sources = await reader.linkSources([path]);
  if (renamed.length === 0 || sources.length === 0) return { steps, relinked };
  const files = await FileTable.of(await reader.paths(), await reader.pageNames());
  for (const source of sources) {
    if (source === path || fileKindOf(source) !== 'note') continue;
    const file = await readIfThere(store, source);
    const decoded = file && decodeText(file.bytes);
    if (!file || !decoded?.ok) continue;
    const splices: Splice[] = [];
    const parsed = parseNote(decoded.text, { dialect: settings.dialect });
    for (const link of parsed.links) {
      const { start, end } = link.subpathSpan;
      if (link.subpath === '' || link.target === '') continue;
      if (resolveLink(source, link.target, link.syntax, files, settings.dialect).path !== path) continue;
      const raw = decoded.text.slice(start, end);
      const subpath = renamed.reduce(
        (current, heading) => renamedSubpath(heading, current, link.syntax, settings.dialect) ?? current,
        raw,
      );
      if (subpath !== raw) splices.push({ start, end, insert: quotedLike(parsed, link, subpath) });
    }
    if (splices.length === 0) continue;
    relinked.push({ path: source, links: splices.length });
    steps.push(replaceStep(source, file.bytes, applySplices(decoded.text, splices)));
  }
  return { steps, relinked };
}
