/** The first line of the note that keeps attachments which no note links: such a note is no part of the vault. */
const MARK = '<!-- lectern: files that no note links -->';

/** What the record calls that note. */
export const LOOSE_FILES_KEY = '#loose files';
export const LOOSE_FILES_NAME = 'Files that no note links.md';

/** Joplin removes attachments that no note links after a while; this note links those that came along without one. */
export function looseFilesNote(files: readonly { readonly path: string; readonly id: string }[]): string {
  const rows = files.map(({ path, id }) => `- [${path.replace(/[[\]\\]/g, '\\$&')}](:/${id})`);
  return `${MARK}\n\nThese files came with the notes, and no note links them. Joplin removes such files after a while, but for this list.\n\n${rows.sort().join('\n')}\n`;
}

export function isLooseFilesNote(text: string): boolean {
  return text.startsWith(MARK);
}
