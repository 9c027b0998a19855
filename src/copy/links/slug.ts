/** The anchor that Joplin assigns to a heading. */
function joplinSlug(heading: string): string {
  return heading
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\p{M}\p{Z}\-_~]/gu, '')
    .trim()
    .replace(/[\p{Z}-]+/gu, '-')
    .toLowerCase();
}

/**
 * The anchor for a link's subpath, with `#`; '' when there is none. Of several headings the last one is used.
 */
export function slugOf(subpath: string): string {
  const last = subpath.split('#').at(-1) ?? '';
  const slug = joplinSlug(last.replace(/^\^/, ''));
  return slug === '' ? '' : `#${slug}`;
}
