import { backlinkLine, forwardLine } from './note-parts.ts';
import type { NoteReadOutput } from './note-read-output.ts';
import { hashed, lines } from './rendering.ts';

/** The requested parts, followed by the verbatim text. */
export function renderNote(out: NoteReadOutput): string {
  const blocks: string[] = [`title: ${out.title}, modified: ${out.modified}`];
  if (out.frontmatter !== undefined) blocks.push(`frontmatter: ${JSON.stringify(out.frontmatter)}`);
  if (out.frontmatter_problems !== undefined) {
    blocks.push(`frontmatter problems: ${out.frontmatter_problems.join('; ')}`);
  }
  if (out.tags !== undefined) blocks.push(`tags:${hashed(out.tags)}`);
  if (out.stats !== undefined) {
    blocks.push(
      `stats: ${Object.entries(out.stats)
        .map(([key, value]) => `${key} ${value}`)
        .join(', ')}`,
    );
  }
  if (out.outline !== undefined) {
    const rows = lines(out.outline, (row) => `${row.line}: ${'#'.repeat(row.level)} ${row.text}`);
    blocks.push(titled('outline', out.outline.length, out.outline_total, rows));
  }
  if (out.links !== undefined) {
    blocks.push(titled('links', out.links.length, out.links_total, lines(out.links, forwardLine)));
  }
  if (out.backlinks !== undefined) {
    blocks.push(
      titled('backlinks', out.backlinks.length, out.backlinks_total, lines(out.backlinks, backlinkLine)),
    );
  }
  return `${blocks.join('\n')}\n\n${out.body}`;
}

function titled(name: string, rows: number, total: number | undefined, text: string): string {
  const cut = total !== undefined && total > rows ? ` (${rows} of ${total})` : ` (${rows})`;
  return text === '' ? `${name}${cut}` : `${name}${cut}:\n${text}`;
}
