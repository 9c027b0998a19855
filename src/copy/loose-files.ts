/**
 * First line of the note that links attachments which no other note links. A copy back leaves this note out.
 */
const MARK = '<!-- lectern: files that no note links -->';

/** Key of that note in the {@link CopyRecord}. */
export const LOOSE_FILES_KEY = '#loose files';
export const LOOSE_FILES_NAME = 'Files that no note links.md';

/**
 * The text of a note that links the copied attachments which no note links: Joplin deletes unlinked
 * attachments after some time.
 */
export function looseFilesNote(files: readonly { readonly path: string; readonly id: string }[]): string {
  const rows = files.map(({ path, id }) => `- [${path.replace(/[[\]\\]/g, '\\$&')}](:/${id})`);
  return `${MARK}\n\nThese files came with the notes, and no note links them. Joplin removes such files after a while, but for this list.\n\n${rows.sort().join('\n')}\n`;
}

export function isLooseFilesNote(text: string): boolean {
  return text.startsWith(MARK);
}
