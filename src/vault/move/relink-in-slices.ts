import type { Frontmatter, Link } from '../../notes/model.ts';
import type { Splice } from '../../notes/splice.ts';
import type { Pacer } from '../../search/pacer.ts';
import { type FileChange, type Relinked, relinkNote } from './relink.ts';

/** Links of one note resolved before other requests are served, a few milliseconds of work. */
const LINKS_AT_ONCE = 200;

/** As {@link relinkNote}, which resolves each link among all files, with pauses for other requests. */
export async function relinkInSlices(
  source: string,
  text: string,
  links: readonly Link[],
  frontmatter: Frontmatter | undefined,
  change: FileChange,
  pacer: Pacer,
  atOnce = LINKS_AT_ONCE,
): Promise<Relinked> {
  // Keyed by position: two uses of one reference definition share it.
  const splices = new Map<number, Splice>();
  const lost: string[] = [];
  let count = 0;
  for (let from = 0; from < links.length; from += atOnce) {
    const some = relinkNote(source, text, links.slice(from, from + atOnce), frontmatter, change);
    for (const splice of some.splices) splices.set(splice.start, splice);
    for (const target of some.lost) lost.push(target);
    count += some.links;
    if (pacer.due) await pacer.pause();
  }
  return { splices: [...splices.values()].sort((a, b) => a.start - b.start), links: count, lost };
}
