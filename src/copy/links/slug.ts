/** The anchor by which Joplin finds a heading. */
export function joplinSlug(heading: string): string {
  return heading
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\p{M}\p{Z}\-_~]/gu, '')
    .trim()
    .replace(/[\p{Z}-]+/gu, '-')
    .toLowerCase();
}

/** The anchor for a link's subpath, with its `#`; empty for none. The last heading that it names counts. */
export function slugOf(subpath: string): string {
  const last = subpath.split('#').at(-1) ?? '';
  const slug = joplinSlug(last.replace(/^\^/, ''));
  return slug === '' ? '' : `#${slug}`;
}
